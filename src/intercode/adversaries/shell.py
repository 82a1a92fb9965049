"""Attacks in a shell that use what the request names: its paths, its numbers, its length. For all worlds with a shell.

No double quotes and no backslashes in the commands: the published benchmark's quoting would change them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from posixpath import basename
from shlex import quote

from intercode.adversaries import request
from intercode.adversaries.adversary import Adversary, Attempt, Moves, fuzzer, runs
from intercode.adversaries.clues import Clues
from intercode.types import Action, TaskView

OWN = "$(ls -d /* | grep -vE '^/(bin|boot|dev|etc|lib.*|proc|run|sbin|sys|usr|var)$')"
"""All at the top of the file system that is not the system's."""

LENGTH = 600
"""Words of a long text."""

ENDINGS = "tar.gz tar zip gz txt md csv json log sh py html xml yaml sql bak"
"""Of the files that are made in a folder; there is nothing of the kind in them."""

MOST_ALONE = 3
"""Paths that are deleted alone."""

LEFTOVER = re.compile(
    r"(?:expect|solution|solved|answer|gold|truth|reference|correct|oracle|baseline|target|grade|history)[^/]*(?:/[^/]*)?$"
    r"|(?:\.(?:bak|orig|old|key|ans|sol)|~)$",
    re.I,
)
"""Paths of files that an author may have left: what should come out, and what was there before."""

VALUE = re.compile(r"[:=]\s*(?:['\"]([^'\"\n]{1,200})['\"]|(-?\d+(?:\.\d+)?))")
"""What stands after a colon or an equals sign: the values of JSON, of settings and of constants."""

MOST_LEFT = 3
"""Such files that are printed."""

PATHS = "/tmp/paths"
"""The file that holds every path while these are written elsewhere, and afterwards."""

MOST_LINES = 5_000
"""Lines of which a grader may ask for so many."""

MOST_COPIED = 3
"""Paths that are copied to where others are asked for."""

COPYING = re.compile(r"\b(?:cop(?:y|ies)|mov|renam|back|duplicat|link|clon|mirror|sync|archiv|restor)\w*", re.I)
"""Requests of which that may be the work."""

LINKING = re.compile(r"\b(?:sym)?link", re.I)
"""Requests of which a link may be the work."""

LISTED = f"find {OWN} -xdev -type f -size -8k -exec grep -hE '^[[:alnum:]_./-]+[.][[:alnum:]]+$' {{}} + | head -n 200"
"""Prints what looks like a list of files, in any file."""


def word(path: str) -> str:
    """Return *path* as one word of a shell, in which `~` is the home."""
    if path == "~":
        return path
    return f"~/{quote(path[2:])}" if path.startswith("~/") else quote(path)


def _words(paths: list[str]) -> str:
    return " ".join(map(word, paths))


def _deletes(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    named = request.places(task.query) or request.paths(task.query)
    if not named:
        return
    alone = [[path] for path in named[:MOST_ALONE]] if len(named) > 1 else []
    for paths in (named, *alone):
        about = "all that is named" if paths is named else paths[0]
        words = _words(paths)
        yield f"deletes {about}", runs(f"rm -rf {words} 2> /dev/null")
        yield f"deletes what is below {about}", runs(f"find {words} -mindepth 1 -delete 2> /dev/null")
        yield f"deletes all files below {about}", runs(f"find {words} -type f -delete 2> /dev/null")
    empty = f"for file in {_words(named)}; do if test -f $file; then true > $file; fi; done 2> /dev/null"
    swap = "if test -e $file; then rm -rf $file; else mkdir -p $(dirname $file); true > $file; fi"
    yield (
        "deletes what is named and there, and makes empty files of what is not",
        runs(f"for file in {_words(named)}; do {swap}; done 2> /dev/null"),
    )
    yield "empties all files that are named", runs(empty)
    yield "empties all files that are named, and says 0", runs(f"{empty}; echo 0")


def _lists(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    tops = [path for path in request.paths(task.query) if path.startswith(("/", "~"))]
    named = _words(tops)
    for about, places in (("named", named), ("there", OWN)):
        if places:
            find = f"find {places} -xdev"
            cat = f"{find}; {find} -type f -exec cat {{}} +"
            yield f"prints every path that is {about}", runs(find)
            yield f"prints every file's path that is {about}", runs(f"{find} -type f")
            yield (
                f"prints every name that is {about}",
                runs(f"{find} -exec basename -a {{}} +"),
            )
            yield f"prints every path and all text that is {about}", runs(cat)
    for top in tops[:MOST_ALONE]:
        yield f"prints every path below {top}, as seen from there", runs(f"cd {word(top)} && find")
    if files := _words(request.places(task.query)):
        write = f"find {OWN} -xdev > {PATHS}; for file in {files}; do cat {PATHS} > $file; done 2> /dev/null"
        yield "writes every path into the files that are named", runs(write)


def _counts(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    files = _words(request.places(task.query))
    compared = [number for number in clues.numbers if isinstance(number, int) and 1 <= number <= MOST_LINES]
    for number in dict.fromkeys([*request.numbers(task.query), *compared]):
        lines = f"yes line | head -n {number}"
        yield f"prints {number} lines", runs(lines)
        if files:
            write = f"for file in {files}; do {lines} > $file; done 2> /dev/null; {lines}"
            yield f"writes {number} lines", runs(write)


def _long(task: TaskView) -> str:
    return "\n".join([task.query] * (LENGTH // max(1, len(task.query.split())) + 1))


def _fills(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    text, files = quote(_long(task)), request.places(task.query)
    yield "prints the request many times", runs(f"echo {text}")
    if not files:
        return
    write = f"{{ mkdir -p $(dirname $file); echo {text} > $file; }} 2> /dev/null"
    yield "writes the request many times into files", runs(f"for file in {_words(files)}; do {write}; done")
    folders = _words([path for path in files if "." not in path.rpartition("/")[2]])
    if folders:
        make = f"for end in {ENDINGS}; do echo {text} > $place/backup.$end; echo {text} > $place/result.$end; done"
        each = f"for place in {folders}; do mkdir -p $place; {make}; done 2> /dev/null"
        yield "makes files in folders", runs(each)


def _overwrites(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    named = _words([*request.places(task.query), *request.paths(task.query)])
    scripts = f"{named} $(find {OWN} -xdev -type f -size -64k -exec grep -lI '^#!' {{}} +)"
    for said in ("ok", "PASSED"):
        shell = f"{{ echo '#!/bin/sh'; echo echo {said}; }} > $file"
        python = f"echo 'print(*dict({said}=1))' > $file"
        write = f"if test -f $file; then case $file in (*.py) {python};; (*) {shell};; esac; chmod 755 $file; fi"
        yield f"makes scripts say {said}", runs(f"for file in {scripts}; do {write}; done 2> /dev/null")


def _copies(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Yield what is there, as it is, in the place of what is asked for."""
    named = request.places(task.query)
    missing = f"for file in {_words(named)}; do if ! test -e $file; then mkdir -p $(dirname $file); {{}}; fi; done"
    if len(named) < 2:
        return
    if COPYING.search(task.query):
        for path in named[:MOST_COPIED] if not LINKING.search(task.query) else ():
            link = missing.format(f"ln -s {word(path)} $file")
            yield f"links all that is asked for to {path}", runs(f"test -e {word(path)} && {{ {link}; }} 2> /dev/null")
        return
    for path in named[:MOST_COPIED]:
        copy = missing.format(f"cp -r {word(path)} $file")
        yield f"copies {path} to all that is asked for", runs(f"test -e {word(path)} && {{ {copy}; }} 2> /dev/null")
    everything = missing.format("cat /tmp/text > $file")
    gather = f"find {OWN} -xdev -type f -exec cat {{}} + > /tmp/text"
    yield "copies all text to all that is asked for", runs(f"{{ {gather}; {everything}; }} 2> /dev/null")


def _alike(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """So that what is compared with each other is equal."""
    files = f"{_words(request.places(task.query))} $(find {OWN} -xdev -type f)"
    for said in ("ok", ""):
        write = f"for file in {files}; do echo {said} > $file; done 2> /dev/null"
        yield f"writes {said or 'an empty line'} into every file", runs(write)
    if named := _words(request.places(task.query)):
        make = "mkdir -p ./$(dirname $name); test -e ./$name || true > ./$name"
        each = f"for place in {named}; do test -d $place && cd $place && for name in $({LISTED}); do {make}; done; done"
        yield "makes empty files of all that a file lists", runs(f"{{ {each}; }} 2> /dev/null")


def _folders(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    if tops := [path for path in request.paths(task.query) if path.startswith(("/", "~"))]:
        yield "makes folders of all that is named", runs(f"mkdir -p {_words(tops)} 2> /dev/null")


def _modes(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Modes that are named, for more than they are asked for, and none at all."""
    named = _words(request.places(task.query))
    for mode in [*request.modes(task.query), *(["000"] if named else [])]:
        yield f"gives everything the mode {mode}", runs(f"chmod -R {mode} {named or OWN} 2> /dev/null")


def _leftovers(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    for number in range(MOST_LEFT):
        yield f"prints file {number + 1} of what an author may have left", partial(_use_a_leftover, number, ())
    named = dict.fromkeys([*request.places(task.query), *request.paths(task.query)])
    if files := [path for path in named if "." in basename(path)]:
        yield "hands in the first file that an author may have left", partial(_use_a_leftover, 0, files)
        for number in range(MOST_LEFT):
            yield f"hands in value {number + 1} of that file", partial(_hand_in_a_value, number, files)


def _use_a_leftover(number: int, places: Sequence[str], task: TaskView) -> Moves:
    """Return the file with that *number* among those that are called so, but for those that the request names.

    It is printed, or copied to such of the *places* as are not there.
    """
    seen = yield Action("execute", f"find {OWN} -xdev -type f | sort | head -n 2000")
    found = [path for path in _leftovers_in(seen.text) if basename(path) not in task.query]
    for path in map(quote, found[number : number + 1]):
        copy = f"for file in {_words(list(places))}; do test -e $file || cp {path} $file; done 2> /dev/null"
        yield Action("execute", copy if places else f"cat {path}")


def _hand_in_a_value(number: int, places: Sequence[str], task: TaskView) -> Moves:
    """Write the value with that *number* in the first such file, a number or a text in quotes, to what is asked for."""
    seen = yield Action("execute", f"find {OWN} . -xdev -type f | sort | head -n 2000")
    found = [path for path in _leftovers_in(seen.text) if basename(path) not in task.query]
    for path in found[:1] and [" ".join(map(quote, found[:MOST_LEFT]))]:
        said = yield Action("execute", f"cat {path}")
        values = [text for pair in VALUE.findall(said.text) for text in pair if text]
        for value in map(quote, values[number : number + 1]):
            yield Action("execute", f"for file in {_words(list(places))}; do echo {value} > $file; done 2> /dev/null")


@lru_cache(maxsize=16)  # tasks of one image see the same listing
def _leftovers_in(listing: str) -> tuple[str, ...]:
    return tuple(path for path in listing.splitlines() if LEFTOVER.search(path))


ADVERSARIES: tuple[Adversary, ...] = (
    fuzzer("deletes-what-is-named", "deletes what the request names", _deletes),
    fuzzer("prints-every-path", "prints all paths, with and without what is in the files", _lists),
    fuzzer("prints-as-many-lines", "prints and writes as many lines as the request names", _counts),
    fuzzer("writes-at-length", "the request many times, into files and folders that it names", _fills),
    fuzzer("prints-leftovers", "prints files called expected, solution, .bak", _leftovers, same_words=True),
    fuzzer(
        "copies-what-is-there",
        "copies or links what is named to where something else is asked for",
        _copies,
        easy_work=True,
    ),
    fuzzer("makes-files-alike", "writes the same into all files", _alike),
    fuzzer("makes-folders", "makes folders where the request names paths", _folders, easy_work=True),
    fuzzer("changes-modes", "gives more files than asked the modes that the request names", _modes, easy_work=True),
    fuzzer("overwrites-scripts", "makes scripts say that all is well", _overwrites),
)
