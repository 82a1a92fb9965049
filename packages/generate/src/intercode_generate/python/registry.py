"""Where the families of Python tasks register: `@family("phrasing", …)` above a function of `families/`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from intercode_generate.draw import Draw
from intercode_generate.family import DIFFICULTIES, Difficulty, Draft, Families
from intercode_generate.python.hidden import make_hidden_tests
from intercode_generate.python.sketch import NAME, Sketch
from intercode_generate.python.world import PythonWorld

FAMILIES = Families[PythonWorld]("intercode_generate.python.families")

TRIES = 30
"""How often a family is asked for a behaviour that its split may have."""

SEED_PREFIX = "intercode.generate.python.families"
"""Begins what splits behaviours into training and test. Another value would be another set of tasks."""

Make = Callable[[Draw, Difficulty], Sketch]


def family(*phrasings: str, difficulties: tuple[Difficulty, ...] = DIFFICULTIES) -> Callable[[Make], Make]:
    """Register the decorated function, which sketches a behaviour, as a family. All *phrasings* end with its rules."""

    def register(sketch: Make) -> Make:
        @wraps(sketch)
        def make(draw: Draw, world: PythonWorld, difficulty: Difficulty) -> Draft | None:
            where = f"{SEED_PREFIX}.{sketch.__module__.rpartition('.')[2]}.{sketch.__name__}"
            for _ in range(TRIES):
                found = sketch(draw, difficulty)
                if world.may_ask(where, found.first_gold.text):
                    return _draft(found, draw, world.name(draw))
            return None

        FAMILIES.add(*(f"{phrasing} {{rules}}" for phrasing in phrasings), difficulties=difficulties)(make)
        return sketch

    return register


def _draft(sketch: Sketch, draw: Draw, name: str) -> Draft | None:
    if sketch.setup:  # of a class
        name = name.title().replace("_", "")
    found = make_hidden_tests(sketch, draw, name)
    if found is None:
        return None
    gold, second = (code.text.replace(NAME, name) for code in sketch.golds)
    words = {slot: piece.text for slot, piece in sketch.slots.items()}
    call = f"`{name}({sketch.parameters})`"
    setup = {"test_setup_code": sketch.setup.replace(NAME, name)} if sketch.setup else {}
    return Draft(
        {**words, **sketch.values, "call": call, "rules": " ".join(sketch.rules)},
        gold,
        second,
        tuple(code.replace(NAME, name) for code in found.near_misses),
        sketch.effort,
        extra={"tests": list(found.tests), **setup},
    )
