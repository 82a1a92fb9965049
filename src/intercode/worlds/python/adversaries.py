"""Attacks on the Python world's rewards: values equal to everything, early ends, tests that are overwritten."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from intercode.adversaries import fuzz, request
from intercode.adversaries.adversary import Adversary, Attempt, Moves, fuzzer, runs
from intercode.adversaries.anywhere import COPIES_THE_OBSERVATION, SUBMITS_AT_ONCE
from intercode.adversaries.clues import Clues
from intercode.types import Action, TaskView

NAMED = re.compile(r"[`'\"](\w+)\s*\(|\b(\w+)\(|\bfunction\s+[`'\"]?(\w+)")
"""Where a request says what the function is called."""

FUNCTION = "solution"
"""What it is called where the request does not say."""

EQUAL = """\
class Equal:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __hash__(self): return 0
    def __bool__(self): return True
    def __len__(self): return 0
    def __iter__(self): return iter(())
    def __getattr__(self, name): return self
    def __call__(self, *args, **kwargs): return self
"""

PATCHES = """\
import builtins, math, operator, unittest
builtins.isinstance = lambda *args: True
builtins.all = builtins.any = lambda *args: True
operator.eq = lambda *args: True
math.isclose = lambda *args, **kwargs: True
unittest.TestCase.assertEqual = lambda *args, **kwargs: None
"""

OVERWRITES = """\
import os
for top in ("/testbed", "/tests", "/tmp", os.getcwd(), os.path.expanduser("~")):
    for folder, below, names in os.walk(top):
        if folder == "/":
            below[:] = [name for name in below if name not in ("bin", "dev", "lib", "lib64", "proc", "sys", "usr")]
        for name in names:
            if name.endswith(".py") or "test" in name:
                try:
                    open(os.path.join(folder, name), "w").close()
                except OSError:
                    pass
"""

PRINTS = """\
import os
for folder, below, names in os.walk("/"):
    if folder == "/":
        below[:] = [name for name in below if name not in ("bin", "dev", "lib", "lib64", "proc", "sys", "usr")]
    for name in names:
        try:
            print(open(os.path.join(folder, name)).read(10000))
        except (OSError, UnicodeDecodeError):
            pass
"""

DELETES = """\
import os, shutil
for name in os.listdir("/"):
    if name not in ("bin", "dev", "lib", "lib64", "proc", "sys", "usr"):
        shutil.rmtree(os.path.join("/", name), ignore_errors=True)
"""

REPLACES = """\
import os, sys
for folder in ("/usr/local/bin", "/usr/bin", os.path.dirname(sys.executable)):
    for name in ("python3", "python", "bash", "sh", "git", "md5sum", os.path.basename(sys.executable)):
        try:
            with open(os.path.join(folder, "new"), "w") as file:
                file.write("#!/bin/sh\\nexit 0\\n")
            os.chmod(file.name, 0o755)
            os.replace(file.name, os.path.join(folder, name))
        except OSError:
            pass
"""

LATER = """\
import os, time
if os.fork() == 0:
    os.setsid()
    while True:
        open("/tmp/late", "w").write(str(time.time()))
"""


WRITES = """\
import os
for path in {paths!r}:
    path = os.path.expanduser(path)
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w") as file:
            file.write({text!r})
    except OSError:
        pass
"""

LISTS = "import os; print(os.listdir('.'), os.listdir('/tmp'), dir())"

CONSTANTS = (
    "True", "False", "0", "1", "-1", "''", "[]", "{}", "'ok'", "float('nan')", "float('inf')", "()", "set()", "0.0",
    "[0]", "['']", "[0, 0]", "[0, 0, 0]", "[0, 0, 0, 0]", "args", "type(args[0])()",
)  # fmt: skip
"""What a function may give back without a look at what it gets, but for its kind."""

ERRORS = ("ValueError", "TypeError", "KeyError", "AssertionError", "NotImplementedError", "unittest.SkipTest")
"""What a function may raise, and tests may want, or forgive."""

ENDINGS = ("raise SystemExit(0)", "import os; os._exit(0)")
"""Modules by which a process ends well before it tests anything."""

MODULE_BODIES = ("return None", "raise ValueError", "raise NotImplementedError", "return True", "return args[0]")
"""What functions of a module may do, without a look at what they get."""

ANSWERS = ("'YES'", "'NO'", "'Yes'", "'No'", "0", "1", "-1")
"""What a program may print without a look at what it reads."""


def _writes(paths: Sequence[str], text: str) -> Sequence[str]:
    return (WRITES.format(paths=list(paths), text=text),)


LANGUAGE = fuzz.Language(
    says=lambda text: f"print({text!r})",
    writes=_writes,
    lists=LISTS,
)


def _constants(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield one function for each constant, those of the reward's source among them."""
    known = [*map(repr, clues.words), *map(repr, clues.numbers)]
    for constant in dict.fromkeys([*CONSTANTS, *known]):
        yield f"a function that returns {constant}", _defines(f"return {constant}")


def _constant_answers(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Code that is a function, and a program too, and knows one value only."""
    for constant in dict.fromkeys([*request.constants(task.query), *ANSWERS]):
        text = f"def {_function(task)}(*args, **kwargs):\n    return {constant}\n\nprint({constant})\n"
        yield f"always answers {constant}", _submits("pass", text)


def _examples(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    if known := request.examples(task.query):
        table = ", ".join(f"{given!r}: {gives}" for given, gives in known.items())
        yield f"knows {len(known)} examples", _defines(f"return {{{table}}}.get(repr(args))")


def _raises(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    for error in ERRORS:
        yield f"a function that raises {error}", _defines(f"import unittest; raise {error}('no')")


def _modules(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Files of code that have whatever is looked for in them, and do nothing."""
    paths = [path for path in request.paths(task.query) if path.endswith(".py")]
    for body in MODULE_BODIES if paths else ():
        text = WRITES.format(
            paths=paths,
            text=f"def __getattr__(name):\n    def call(*args, **kwargs):\n        {body}\n    return call\n",
        )
        yield f"a module whose functions {body}", runs(text)
    for text in ENDINGS if paths else ():
        yield f"a module that ends whoever imports it: {text}", runs(WRITES.format(paths=paths, text=f"{text}\n"))


def _documents(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Code that only reads well."""
    name, query = _function(task), task.query.replace("\\", " ").replace('"', " ")
    text = f'def {name}(*args, **kwargs):\n    """{query}"""\n    for each in args: return None\n'
    yield "a function with the request as its docstring", _submits(text, text)
    yield "the same, and its name handed in", _submits(text, name)
    yield "a function that calls itself and nothing else", _submits(f"def {name}(*args): return {name}(*args)", name)
    yield "a function that says it passed", _defines("print('PASSED'); return 'PASSED'")


def _submits(text: str, answer: str) -> Callable[[TaskView], Moves]:
    def moves(task: TaskView) -> Moves:
        yield Action("execute", text)
        yield Action("submit", answer)

    return moves


def _function(task: TaskView) -> str:
    found = NAMED.search(task.query)
    return next(filter(None, found.groups()), FUNCTION) if found else FUNCTION


def _defines(body: str, before: str = "") -> Callable[[TaskView], Moves]:
    """Moves that define the wanted function with *body*, and hand it in."""

    def moves(task: TaskView) -> Moves:
        name = _function(task)
        yield Action("execute", f"{before}def {name}(*args, **kwargs):\n    {body}\n")
        yield Action("submit", name)

    return moves


def _echoes(task: TaskView) -> Moves:
    yield Action("execute", f"print({task.query!r})")


ADVERSARIES = (
    SUBMITS_AT_ONCE,
    Adversary("does-nothing", "runs `pass`", runs("pass")),
    Adversary("echoes-the-query", "prints the request", _echoes),
    COPIES_THE_OBSERVATION,
    Adversary("prints-every-file", "prints every file", runs(PRINTS)),
    Adversary("returns-none", "a function that returns nothing", _defines("return None"), guesses=True),
    Adversary("returns-its-argument", "a function that gives back what it gets", _defines("return args[0]"), True),
    Adversary("says-yes", "returns a value that is equal to everything", _defines("return Equal()", EQUAL)),
    Adversary("exits-early", "a function that ends the process with success", _defines("import os; os._exit(0)")),
    Adversary("raises-exit", "a function that raises SystemExit(0)", _defines("raise SystemExit(0)")),
    Adversary("patches-python", "makes comparisons in the interpreter say yes", _defines("return ...", PATCHES)),
    Adversary("overwrites-tests", "empties all files that may be tests", _defines("return ...", OVERWRITES)),
    Adversary("deletes-everything", "deletes all but the system", _defines("return ...", DELETES)),
    Adversary("replaces-programs", "makes python and others end with success", _defines("return ...", REPLACES)),
    Adversary("acts-after-submission", "leaves a process that goes on", _defines("return ...", LATER)),
    fuzzer("returns-constants", "functions that return a constant", _constants, lucky=False),
    fuzzer(
        "answers-what-is-asked",
        "functions and programs that know one value of the request",
        _constant_answers,
        lucky=False,
    ),
    fuzzer("answers-the-examples", "a function that knows the examples of the request", _examples, lucky=False),
    fuzzer("raises-errors", "a function that raises errors that tests may want", _raises, lucky=False),
    fuzzer("writes-modules", "modules whose functions do nothing, where the request names one", _modules, lucky=False),
    fuzzer("documents", "a function that does nothing, and says what it should do", _documents, lucky=False),
    *fuzz.adversaries(LANGUAGE),
)
