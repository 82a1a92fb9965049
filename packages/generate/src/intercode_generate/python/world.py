"""What the Python tasks of one batch share: words for names, and which behaviours their split may ask for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from intercode_generate.draw import Draw
from intercode_generate.python.inputs import listed
from intercode_generate.splits import Split, words_of

VERBS = listed(
    "arrange assess balance blend carry check clean collect combine compile compute convert derive digest examine "
    "extract "
    "figure filter fold gather handle inspect judge list manage measure merge note order pack pick plan prepare "
    "process "
    "rate read reduce refine render report resolve review scan settle shape sift sort study survey tally trace track "
    "treat trim turn update weigh work wrap"
)
THINGS = listed(
    "acorns anchors apples arrows badges baskets beacons bells berries boats books bottles boxes bricks bridges "
    "brushes "
    "buckets buttons cables candles cards carpets chains chairs charts clocks clouds coats coins crates cups dials "
    "doors "
    "drums engines feathers fences fields flags flutes forms frames gardens gates gems glasses gloves hammers harbours "
    "hats hinges islands jars keys kites ladders lamps lanterns leaves letters lights maps marbles meters mirrors "
    "nails "
    "nets notes orders paddles parcels pears pens pipes plates ponds pots quilts rafts reels rings roads robes rocks "
    "ropes "
    "sails scales seeds sheets shells shelves ships signals spoons stamps stones tents tickets tiles towers trays "
    "tubes "
    "valves vases wagons walls watches wheels windows"
)
PEOPLE = listed(
    "ada alma amir anouk bela boris carla chen dario dina edda emil farah felix gita goran hana hugo ines ivo jana "
    "joao "
    "kemal kira lars lena malik mina nadia nils olga omar paula pavel rana rolf sana sven tara tomas uma viktor wanda "
    "yusuf "
    "zoe"
)


SHARES = 5
"""Parts that behaviours are cut into, as words are."""


@dataclass(frozen=True, slots=True)
class PythonWorld:
    """Words of the *split* only, and the split itself, which decides what behaviours may be asked for."""

    split: Split
    verbs: Sequence[str]
    things: Sequence[str]
    people: Sequence[str]

    def name(self, draw: Draw) -> str:
        """Return a name for a function, which says nothing of what it does."""
        return f"{draw.pick(self.verbs)}_{draw.pick(self.things)}"

    def may_ask(self, family: str, code: str) -> bool:
        """Return whether *code*, a gold without its name, belongs to this split.

        No two of train, validation and test share a behaviour.
        """
        digest = sha256(f"{family}\0{code}".encode()).digest()
        return digest[0] % SHARES in _shares(self.split)


@cache
def _shares(split: Split) -> Collection[int]:
    """Return the parts of the behaviours that *split* may ask for."""
    return frozenset(words_of(range(SHARES), split))


def make(draw: Draw, split: Split) -> PythonWorld:
    """Return a world of *split*: a batch has some of the split's people."""
    return PythonWorld(split, words_of(VERBS, split), words_of(THINGS, split), draw.sample(words_of(PEOPLE, split), 4))
