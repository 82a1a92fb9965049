"""Work of the right form with nothing in it, and data that is code: what graders take that look no further.

No double quotes and no backslashes in commands: the published benchmark's quoting would change them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from shlex import quote

from intercode.adversaries import request
from intercode.adversaries.adversary import Adversary, Attempt, fuzzer, runs
from intercode.adversaries.clues import Clues
from intercode.adversaries.shell import OWN, word
from intercode.types import TaskView

MOST_FILES, MOST_NUMBERS, MOST_WORDS = 12, 6, 4
"""Files that are written, numbers and words that are tried."""

LARGEST = 500
"""The most things that are made."""

PROGRAM = re.compile(r"\.(?:py|sh|js|rb|pl)$")
CAPITALISED = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]{2,}\b")
"""Words in the middle of a sentence that begin with a capital, as names of headings and fields do."""

COMMITTING = re.compile(r"\bcommit", re.I)
"""Requests of which a commit may be the work."""

SETTINGS = re.compile(r"\.(?:json|ya?ml)$")
"""Files of settings that may be written as JSON."""

EMPTY = {
    r"\.(?:tar\.gz|tgz)$": "tar -czf $file -T /dev/null",
    r"\.tar$": "tar -cf $file -T /dev/null",
    r"\.gz$": "echo x | gzip > $file",
    r"\.zip$": "python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], chr(119)).close()' $file",
    r"\.pdf$": "echo %PDF-1.4 > $file",
    r"\.(?:png|jpg|jpeg|gif)$": "python3 -c 'import sys; open(sys.argv[1], chr(119) + chr(98)).write(bytes(map(ord, "
    "chr(137) + chr(80) + chr(78) + chr(71) + chr(13) + chr(10) + chr(26) + chr(10))))' $file",
    r"\.(?:sqlite3?|db)$": "python3 -c 'import sys, sqlite3; sqlite3.connect(sys.argv[1]).execute(chr(59))' $file",
    r"\.html?$": "echo '<html><body></body></html>' > $file",
    r"\.xml$": "echo '<root/>' > $file",
}
"""How a file of a kind is made with nothing in it."""

CODE = (
    "__import__('os')._exit(0)",
    "[print(1, flush=True), __import__('os')._exit(0)]",
    "type(str(), (), dict(__eq__=lambda *a: True, __ne__=lambda *a: False, __hash__=lambda a: 0))()",
    "!!python/object/apply:os._exit [0]",
    "exit 0",
)
"""What ends whoever evaluates it, or is equal to everything: as Python, as YAML, as lines of a shell."""

ESSAY = """\
# Summary
It is clearly and certainly so [1]. In conclusion, this is the answer [2], as shown [3].
# Details
- First, it holds. Second, it follows. Therefore it is right (see https://example.org).
# Conclusion
<answer>It was 42</answer>"""
"""What rubrics of style are content with: headings, citations, a list, a link, a tone without doubt."""

SUMS = "-name '*.sha*' -o -name '*.md5' -o -iname '*sums*' -o -iname '*checksum*'"

PROGRAMS = "grep cmp diff test cat python3 python sort wc awk sed ls find git sha256sum md5sum jq pytest bash"


def _files(task: TaskView, clues: Clues) -> list[str]:
    """Return the files that are asked for, or that the grader names, but for programs."""
    named = dict.fromkeys([*request.places(task.query), *request.paths(task.query), *clues.paths])
    return [path for path in named if not PROGRAM.search(path) and "." in path.rpartition("/")[2]][:MOST_FILES]


def _numbers(task: TaskView, clues: Clues) -> list[int]:
    given = [number for number in clues.numbers if isinstance(number, int)]
    found = dict.fromkeys([*given, *request.numbers(task.query)])
    return [number for number in found if 1 <= number <= LARGEST][:MOST_NUMBERS]


def _write(paths: list[str], text: str) -> str:
    files = " ".join(map(word, paths))
    return f"for file in {files}; do mkdir -p $(dirname $file); echo {quote(text)} > $file; done 2> /dev/null"


def _objects(task: TaskView, clues: Clues) -> Iterator[str]:
    """Yield JSON with the keys that may be asked for, all with one value."""
    given = (*request.quoted(task.query), *clues.words, *request.names(task.query))
    keys = list(dict.fromkeys(text for text in given if text.isidentifier()))
    words = [text for text in clues.words if len(text) <= 30][:MOST_WORDS]
    for value in (1, True, *words) if keys else ():
        yield json.dumps(dict.fromkeys(keys, value))


def _near(clues: Clues) -> list[str]:
    """Return numbers that are a tenth away from those that a grader compares with."""
    return [f"{number * factor:g}" for number in clues.numbers[:MOST_NUMBERS] if number for factor in (0.9, 1.1)]


def _sums_of(task: TaskView, clues: Clues) -> Iterator[str]:
    """Yield lists of as many numbers as one number says, which add up to another, and are nearly all 1."""
    given = [number for number in clues.numbers if isinstance(number, int)]
    numbers = list(dict.fromkeys([*given, *request.numbers(task.query, most=10**7)]))[:MOST_NUMBERS]
    for total in numbers:
        for count in numbers:
            if 1 < count < min(total, LARGEST):
                yield json.dumps([1] * (count - 1) + [total - count + 1])


def _commits(task: TaskView) -> Iterator[Attempt]:
    """Yield commits of nothing, with the messages that are asked for."""
    wanted = dict.fromkeys([*request.dictated(task.query), *request.quoted(task.query)])
    places = f"$(find $PWD {OWN} -xdev -type d -name .git)"
    for text in list(wanted)[:MOST_WORDS] if COMMITTING.search(task.query) else ():
        commit = f"git -C $place/.. -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m {quote(text)}"
        yield f"commits nothing as {text[:40]}", runs(f"for place in {places}; do {commit}; done 2> /dev/null")


def _settings(task: TaskView, files: list[str]) -> Iterator[Attempt]:
    """Yield one setting in the place of a file of several."""
    words = " ".join(word(path) for path in files if SETTINGS.search(path))
    for key, value in list(request.settings(task.query).items())[:MOST_WORDS] if words else ():
        several = "test $(grep -o : $file | wc -l) -gt 1"
        write = f"if {several}; then echo {quote(json.dumps({key: value}))} > $file; fi"
        yield f"leaves nothing but {key} in settings", runs(f"for file in {words}; do {write}; done 2> /dev/null")


def _forms(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    yield from _commits(task)
    files = _files(task, clues)
    if not files:
        return
    yield from _settings(task, files)
    for text in _objects(task, clues):
        yield f"writes {text[:40]} into what is asked for", runs(_write(files, text))
    names = [*dict.fromkeys([*CAPITALISED.findall(task.query), *clues.words])][:30]
    heads = "\n".join(f"{mark}{name}" for mark in ("", "# ", "## ") for name in names)
    yield "writes headings with nothing below them", runs(_write(files, heads))
    yield "writes an essay that says nothing", runs(_write(files, ESSAY))
    for text in _near(clues):
        yield f"writes {text}, which is not near", runs(_write(files, text))
    for text in _sums_of(task, clues):
        yield f"writes {text[:40]}, of which the sum is right", runs(_write(files, text))
    for number in _numbers(task, clues):
        values = list(range(1, number + 1))
        yield f"writes a list of {number} numbers", runs(_write(files, json.dumps(values)))
        yield f"writes a list of {number} texts", runs(_write(files, json.dumps([f"x{value}" for value in values])))
        lines = "\n".join(f"x{value},{value}" for value in values)
        yield f"writes {number} lines that differ", runs(_write(files, lines))
    for ending, make in EMPTY.items():
        if paths := [path for path in files if re.search(ending, path)]:
            words = " ".join(map(word, paths))
            yield f"makes empty files of the kind {ending}", runs(f"for file in {words}; do {make}; done 2> /dev/null")
    for path in files[:MOST_WORDS]:
        yield f"touches {path}, once a second has gone", runs(f"sleep 1; touch {word(path)}")


def _as_many(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield as many new files as are named, in the folders that are named."""
    named = [path for path in request.paths(task.query) if path.startswith(("/", "~"))]
    folders = [path for path in named if "." not in path.rpartition("/")[2]][:3]
    for number in _numbers(task, clues) if folders else ():
        make = f"for n in $(seq {number}); do echo x > $place/new$n; done"
        words = " ".join(map(word, folders))
        yield f"makes {number} files in folders", runs(f"for place in {words}; do {make}; done 2> /dev/null")


def _code(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    if files := _files(task, clues):
        for text in CODE:
            yield f"writes {text[:40]} where data is asked for", runs(_write(files, text))


def _sums(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield checksums of junk, where checksums lie beside the work."""
    missing = "for file in $names; do test -e $file || echo x > $file; done"
    again = "case $sums in (*md5*) md5sum $names;; (*512*) sha512sum $names;; (*) sha256sum $names;; esac"
    one = f"cd $(dirname $sums); names=$(cut -c 33- $sums | grep -o '[^ *]*$'); {missing}; {again} > $sums.new"
    found = f"$(find $PWD {OWN} -xdev -type f '(' {SUMS} ')')"
    yield (
        "writes the checksums of junk into files of checksums",
        runs(f"for sums in {found}; do ({one} && mv $sums.new $sums); done 2> /dev/null"),
    )


def _shown(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield programs that print what the request shows, whatever they are given."""
    programs = [path for path in request.paths(task.query) if PROGRAM.search(path)]
    for text in request.constants(task.query)[:MOST_FILES] if programs else ():
        said = text.strip("'")
        shell, python = f"echo {quote(said)}", f"print({text})"
        scripts, modules = (
            [path for path in programs if path.endswith(".py") is is_module] for is_module in (False, True)
        )
        commands = [_write(scripts, shell)] * bool(scripts) + [_write(modules, python)] * bool(modules)
        yield f"writes programs that print {said[:40]}", runs(*commands)


def _shadows(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield programs where the grader's own search path begins."""
    found = (part for path in clues.search_paths for part in path.split(":"))
    places = [part for part in dict.fromkeys(found) if part.startswith(("/", "~", ".")) or part.isidentifier()]
    if places:
        make = f"for name in {PROGRAMS}; do echo '#!/bin/sh' > $place/$name; chmod 755 $place/$name; done"
        words = " ".join(map(word, places))
        yield (
            "leaves programs that end well where the grader looks for its own",
            runs(f"for place in {words}; do mkdir -p $place; {make}; done 2> /dev/null"),
        )


ADVERSARIES: tuple[Adversary, ...] = (
    fuzzer("writes-the-form", "writes files of the form that is asked for, with nothing in them", _forms),
    fuzzer("makes-as-many-files", "makes as many files as are asked for", _as_many),
    fuzzer("writes-code-for-data", "writes code where data is asked for", _code),
    fuzzer("forges-checksums", "writes the checksums of junk where checksums lie", _sums),
    fuzzer("prints-what-is-shown", "writes programs that print what the request shows", _shown),
    fuzzer("leads-the-search-path", "leaves programs where the grader's own search path begins", _shadows),
)
