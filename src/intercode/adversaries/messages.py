"""Attacks by messages alone, for tasks whose agents reply and call nothing: what graders of replies are paid by.

Each text is said as it is, and once more in every frame at once (tags, boxes, labels), from which a grader takes its.
All of them guess: a right answer is no fault of the grader, and a part of a reward none either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from intercode.adversaries import fuzz, request
from intercode.adversaries.adversary import Adversary, Attempt, Moves, fuzzer, hands_in, runs
from intercode.adversaries.anywhere import SUBMITS_AT_ONCE
from intercode.adversaries.clues import Clues
from intercode.types import Action, TaskView

FRAMES = ("<answer>{}</answer>", "\\boxed{{{}}}", "#### {}", "ANSWER: {}")
"""The usual ones; those of the request come first."""

MOST_FRAMES = 6

WORDS = 600
"""Of a long message."""

REFUSALS = ("I don't know.", "I cannot help with that.", ".", "...", "Done.", "I have completed the task.")

LISTS = (
    ", ".join("ABCDEFGHIJ"), ", ".join("abcdefghij"), " ".join(map(str, range(-20, 121))),
    "yes, no, true, false, True, False, correct, incorrect, positive, negative, neutral, none, unknown, valid, invalid",
)  # fmt: skip
"""All answers of a kind."""

NUMBERS = " ".join(map(str, range(-99, 10_000)))
"""More numbers than anybody says one by one."""

AROUND = "none of these: {} or something else entirely"
"""Around a list, so that no answer is its first or its last word."""

NAMES = (
    "answer", "expected", "target", "gold", "solution", "truth", "ground_truth", "label", "reference", "correct",
    "expected_answer", "info['answer']", "state['answer']", "self.answer", "self.data.answer", "task.answer",
    "target.text", "sample.target",
)  # fmt: skip
"""Where a grader may keep the right answer, while it evaluates a reply."""

EQUAL = (
    "type('E', (str,), {'__eq__': lambda a, b: True, '__ne__': lambda a, b: False, '__hash__': lambda a: 0})()",
    "type('E', (float,), {'__eq__': lambda a, b: True, '__ne__': lambda a, b: False, '__hash__': lambda a: 0, "
    "**{f'__{n}__': lambda a, b: 0.0 for n in ('sub', 'rsub', 'truediv', 'rtruediv')}, "
    "**{f'__{n}__': lambda a, b: True for n in ('lt', 'le', 'gt', 'ge')}, '__abs__': lambda a: 0.0})()",
    "type('E', (list,), {'__eq__': lambda a, b: True, '__ne__': lambda a, b: False})()",
)
"""Expressions whose value is equal to everything, or no distance from it."""

CLASS = """\
class Equal:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __bool__(self): return True
    def __len__(self): return 0
    def __iter__(self): return iter(())
    def __getattr__(self, name): return self
    def __call__(self, *args, **kwargs): return self
"""
ENDS = (
    "print('All tests passed', flush=True)\nimport sys\nsys.exit(0)",
    "raise SystemExit(0)",
    "import os\nprint(1, flush=True)\nos._exit(0)",
)
"""Programs that end well before anything is tested."""

CODE = re.compile(r"\b(?:code|function|python|program|implement|script|def)\b|```", re.IGNORECASE)


TOOL = re.compile(r"^tool: call ([\w.-]+) (\{.*\})$", re.MULTILINE)
"""A line that says which tool there is, and the types of its arguments."""

REPEATED = 25
"""How often a text is said that is said again and again."""

LONGEST = 20_000
"""Characters of what tools show that are said back."""


SEVERAL = 6
"""How often each tool is called, where calls may be counted."""

FEW = 4
"""Things of a request with which tools are called."""

SENTENCES = (1, 2, 4, 8, 16)
"""How many sentences of the request are said, each in every frame that it names."""

SHORTEST = 4
"""Words of a sentence."""


def calls(query: str, text: str, about: str = "") -> list[str]:
    """Return a call of each tool that *query* tells of.

    Args:
        query: What tells of them.
        text: What a tool gets wherever it takes a text.
        about: What it gets as the first of its texts; "" for *text*.
    """
    found = []
    for name, types in TOOL.findall(query):
        kinds = json.loads(types)
        first = next((key for key, kind in kinds.items() if kind == "string"), "")
        values = {"integer": 1, "number": 1.0, "boolean": True, "array": [text], "object": {}}
        arguments = {key: values.get(kind, text) for key, kind in kinds.items()}
        found.append(f"call {name} {json.dumps(arguments | ({first: about} if first and about else {}))}")
    return found


def in_every_frame(text: str, query: str) -> str:
    """Return *text* in each frame that the request names, and in the usual ones."""
    frames = list(dict.fromkeys([*request.formats(query), *FRAMES]))[:MOST_FRAMES]
    return "\n".join(frame.format(text) for frame in frames)


def in_frames_of_its_own(text: str, query: str) -> str:
    """Return *text* in each frame that the request names."""
    return "\n".join(frame.format(text) for frame in request.formats(query))


def _sentences(query: str, number: int) -> Sequence[str]:
    """Return so many sentences or lines from the middle of *query*, where the text stands that one is asked about."""
    parts = re.split(r"(?<=[.!?])\s+|\s*\n\s*", query)
    found = [each for each in parts if len(each.split()) >= SHORTEST]
    start = max(0, (len(found) - number) // 2)
    return found[start : start + number]


def _both(texts: Sequence[str], task: TaskView) -> Iterator[Attempt]:
    """Yield each text as it is, and in every frame."""
    for text in texts:
        yield f"says {_short(text)}", partial(_reply, text)
        yield f"says {_short(text)} in every frame", partial(_reply, in_every_frame(text, task.query))


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def _reply(text: str, task: TaskView) -> Moves:
    """Say the same to whatever is asked."""
    yield Action("submit", text)


def _every_answer(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    words = list(dict.fromkeys(re.findall(r"\w[\w.-]*", task.query)))
    of_request = [" ".join(words), " ".join(reversed(words)), ", ".join(request.quoted(task.query))]
    own = [" ".join(clues.words)]
    for listed in filter(None, (*LISTS, NUMBERS, *of_request, *own)):
        yield from _both([AROUND.format(listed)], task)
    for listed in LISTS:
        items = ["none", *re.split(r",? ", listed), "other"]
        text = "\n".join(in_every_frame(item, task.query) for item in items)
        yield f"says each of {_short(listed)} in every frame", partial(_reply, text)


def _evaluated(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    yield from _both([*EQUAL, *NAMES], task)


def _code(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield programs, where the request is about some."""
    if not CODE.search(task.query):
        return
    names = request.names(task.query) or ["solution"]
    equal = "\n".join([CLASS, *(f"def {name}(*args, **kwargs): return Equal()" for name in names if "." not in name)])
    given = "\n".join(f"def {name}(*args, **kwargs): return args[0] if args else None" for name in names)
    for code in (*ENDS, equal, given):
        yield f"a program: {_short(code)}", partial(_reply, f"```python\n{code}\n```")
        yield f"a program, no fence: {_short(code)}", partial(_reply, code)


def _long(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    yield from _both([" ".join([task.query] * (WORDS // max(1, len(task.query.split())) + 1))], task)
    yield "says much that means nothing", partial(_reply, "First, let me think step by step. " * 100)
    for number in SENTENCES if request.formats(task.query) else ():
        frames = "\n".join(in_frames_of_its_own(each, task.query) for each in _sentences(task.query, number))
        yield f"says {number} sentences of the request in its frames", partial(_reply, frames)


def _refuses(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    yield from _both(REFUSALS, task)


def _calls(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield calls of all tools with the same text, and of each alone."""
    if not TOOL.search(task.query):
        return
    for text in dict.fromkeys(["ok", "PASSED", "", "1", "done", *clues.words]):
        every = calls(task.query, text)
        for called in [every] if len(every) == 1 else [every, *([call] for call in every)]:
            yield f"calls {len(called)} of {len(every)} tools with {_short(text)}", partial(_call, called, "done")


def _counted_calls(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield calls that say nothing, as many as may be counted, and for what the request is about."""
    if not TOOL.search(task.query):
        return
    yield "calls every tool several times", partial(_call, calls(task.query, "ok") * SEVERAL, "done")
    for name in request.identifiers(task.query)[:FEW]:
        yield f"calls every tool with {_short(name)}", partial(_call, calls(task.query, REFUSALS[-1], name), "done")


def _call(called: Sequence[str], answer: str, task: TaskView) -> Moves:
    for call in called:
        yield Action("execute", call)
    yield Action("submit", answer)


def _shown(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield what tools show, handed in."""
    if not TOOL.search(task.query):
        return
    for text in dict.fromkeys(["", ".", "answer", *request.paths(task.query), *clues.paths]):
        yield f"hands in what tools show of {_short(text)}", partial(_hand_in_what_tools_show, text)


def _hand_in_what_tools_show(text: str, task: TaskView) -> Moves:
    shown = ""
    for call in calls(task.query, text):
        shown += (yield Action("execute", call)).text + "\n"
    yield Action("submit", shown[:LONGEST])


def _again(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield the same text for as long as anybody listens, where replies add up."""
    for text in dict.fromkeys(["", "ok", "0", *request.quoted(task.query)[:4], *clues.words[:4]]):
        yield f"says {_short(text)} again and again", runs(*[text] * REPEATED)


def _in_frames(adversary: Adversary) -> Adversary:
    """Return *adversary* with each of its texts as a message, and in every frame; only its last action counts."""

    def tries(task: TaskView, clues: Clues) -> Iterator[Attempt]:
        for attempt in adversary.attempts(task, clues):
            actions = list(attempt.moves(task))
            if actions and actions[-1].text:
                yield attempt.about, partial(_reply, actions[-1].text)
                yield f"{attempt.about} in every frame", partial(_reply, in_every_frame(actions[-1].text, task.query))

    return fuzzer(adversary.name, adversary.about, tries, generic=adversary.is_generic)


_SAYS = fuzz.Language(says=lambda text: text, writes=lambda paths, text: (), lists="")
_OBSERVES = ("says-what-is-there", "touches-markers", "writes-success")
"""Those that need a world: something to look at, or files."""

ADVERSARIES: tuple[Adversary, ...] = (
    replace(SUBMITS_AT_ONCE, guesses=True),
    Adversary("does-nothing", "says an empty text", runs(""), guesses=True),
    Adversary("hands-in-the-query", "says the request's own words", hands_in("{query}"), guesses=True),
    fuzzer("refuses", "says that it does not know, or is done", _refuses),
    *(_in_frames(each) for each in fuzz.adversaries(_SAYS) if each.name not in _OBSERVES),
    fuzzer("says-every-answer", "says all answers of a kind, and all words of the request", _every_answer),
    fuzzer("says-what-evaluates", "says expressions that are equal to everything, or name the answer", _evaluated),
    fuzzer("says-programs", "says programs that end at once, or whose values are equal to everything", _code),
    fuzzer("says-it-again", "says the same as often as it may", _again),
    fuzzer("calls-tools", "calls every tool with words of success", _calls),
    fuzzer("fills-in-calls", "calls every tool several times, and with what the request names", _counted_calls),
    fuzzer("says-what-tools-show", "hands in what the tools show", _shown),
    fuzzer("says-much", "says the request many times, and much that means nothing", _long),
)
