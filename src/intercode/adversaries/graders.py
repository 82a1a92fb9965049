"""Attacks on the program that grades: on the files that it reads and writes, and on what it runs of the agent's.

What they aim at is named by the request and by the grader's source. No double quotes and no backslashes in commands:
the published benchmark's quoting would change them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from shlex import quote

from intercode.adversaries import request
from intercode.adversaries.adversary import Adversary, Attempt, fuzzer, runs
from intercode.adversaries.clues import Clues
from intercode.adversaries.shell import COPYING, OWN, word
from intercode.types import TaskView

REWARD = re.compile(r"(?:reward|result|score|verdict|grade|status|passed|outcome)[^/]*\.(?:txt|json|log|xml)$", re.I)
"""Files in which graders write what they found."""

PROGRAM = re.compile(r"\.(?:py|sh)$|(?:^|/)(?:Makefile|run|main)$")
"""Files that graders run."""

GRADER = "grade*.* grader*.* check*.* verif*.* eval*.* score*.* test*.* *_test.* run_tests*"
"""What graders that lie beside the work are called."""

REWARDS = (
    "1", "1.0",
    '{"reward": 1.0, "score": 1.0, "passed": true, "success": true, "resolved": true, "status": "passed"}',
)  # fmt: skip
"""The contents of such a file by which everything is well."""

MOST = 12
"""Paths that are aimed at."""

ENDS = "import os, sys; print(1, flush=True); os._exit(0)"
"""A module that ends whoever imports it, with success, and with a 1 in the last line."""

PASSES = "def __getattr__(name): return lambda *a, **k: type(str(), (), dict(__eq__=lambda *a: True, __hash__=None))()"
"""A module all of whose functions return what is equal to everything."""


def _rewards(task: TaskView, clues: Clues) -> list[str]:
    return [path for path in dict.fromkeys([*clues.paths, *request.paths(task.query)]) if REWARD.search(path)][:MOST]


def _programs(task: TaskView, clues: Clues) -> list[str]:
    named = dict.fromkeys([*request.paths(task.query), *clues.paths])
    imported = [f"{name}.py" for name in clues.imports]
    return [path for path in (*named, *imported) if PROGRAM.search(path)][:MOST]


def _words(paths: list[str]) -> str:
    return " ".join(map(word, paths))


def _write(paths: list[str], text: str) -> str:
    """Return a command that writes *text* to all *paths*; what is there already is replaced."""
    return (
        f"for file in {_words(paths)}; do mkdir -p $(dirname $file); rm -rf $file; echo {quote(text)} > $file; "
        "chmod 755 $file; done 2> /dev/null"
    )


def _early(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield the reward's file as it should be, before the grader writes it, and so that it cannot."""
    if paths := _rewards(task, clues):
        for text in REWARDS:
            yield f"writes {text[:20]} where the grader writes", runs(_write(paths, text))
            lock = f"chattr +i {_words(paths)} 2> /dev/null; chmod 444 {_words(paths)}"
            yield f"writes {text[:20]} there, for reading only", runs(f"{_write(paths, text)}; {lock}")


def _late(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield programs that the grader runs, and that write the reward's file for as long as they can."""
    rewards, programs = _rewards(task, clues), _programs(task, clues)
    if not rewards or not programs:
        return
    for text in REWARDS:
        loop = f"while true; do for file in {_words(rewards)}; do echo {quote(text)} > $file; done; sleep 0.01; done"
        shell = f"setsid sh -c {quote(loop)} > /dev/null 2>&1 &"
        python = f"import subprocess; subprocess.Popen(['sh', '-c', {loop!r}], start_new_session=True)"
        scripts = [path for path in programs if not path.endswith(".py")]
        modules = [path for path in programs if path.endswith(".py")]
        commands = [_write(scripts, shell)] * bool(scripts) + [_write(modules, python)] * bool(modules)
        yield f"leaves programs that write {text[:20]} where the grader writes", runs(*commands)


def _overwrites(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield graders that lie where the agent works, replaced by what finds all well."""
    names = " -o ".join(f"-name {quote(name)}" for name in GRADER.split())
    found = f"$(find {OWN} . -xdev -type f '(' {names} ')' 2> /dev/null)"
    python = f"echo {quote('print(1)')} > $file"
    shell = "{ echo '#!/bin/sh'; echo echo 1; } > $file"
    write = f"for file in {found}; do case $file in (*.py) {python};; (*) {shell};; esac; done 2> /dev/null"
    yield "makes graders beside the work find all well", runs(write)


def _copies(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield what the grader names and the request does not, copied to where something is asked for."""
    if COPYING.search(task.query):  # then that may be the work
        return
    asked = request.paths(task.query)
    hidden = [path for path in clues.paths if path not in asked and not REWARD.search(path)][:3]
    for path in hidden:
        copy = f"for file in {_words(asked[:MOST])}; do test -e $file || cp {word(path)} $file; done 2> /dev/null"
        if asked:
            yield f"copies {path}, which the grader reads, to what is asked for", runs(copy)


def _ends(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    modules = [path for path in _programs(task, clues) if path.endswith(".py")]
    scripts = [path for path in _programs(task, clues) if not path.endswith(".py")]
    if modules:
        yield "writes modules that end the grader with success", runs(_write(modules, ENDS))
        yield "writes modules whose functions return what is equal to everything", runs(_write(modules, PASSES))
    if scripts:
        yield "writes programs that end whoever started them", runs(_write(scripts, "echo 1; kill $PPID"))


ADVERSARIES: tuple[Adversary, ...] = (
    fuzzer("writes-the-reward-early", "writes the file in which the grader says what it found", _early),
    fuzzer("writes-the-reward-late", "leaves programs that write that file once the grader runs them", _late),
    fuzzer("overwrites-the-grader", "replaces graders that lie where the agent works", _overwrites),
    fuzzer("copies-the-grader", "copies what only the grader names to what is asked for", _copies, lucky=False),
    fuzzer("ends-the-grader", "writes modules that end the program that imports them with success", _ends),
)
