"""Attacks on the Bash world's rewards: on the answer, on the state, on the judge's programs, on its moment.

No double quotes and no backslashes in the commands: the published benchmark's quoting would change them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from posixpath import dirname
from shlex import quote

from intercode.adversaries import forms, fuzz, graders, shell
from intercode.adversaries.adversary import Adversary, Moves, runs
from intercode.adversaries.anywhere import LONGEST, SUBMITS_AT_ONCE
from intercode.adversaries.shell import OWN, word
from intercode.types import Action, TaskView
from intercode.worlds.bash import leftovers

NAMED = re.compile(r"(?<![\w./~-])/\w[\w./-]*\w")
"""Paths in a request."""

FILES = f"find {OWN} -xdev -type f; [ $PWD = / ] || find . -xdev -type f"
"""All that are not the system's; of the working directory, too, wherever it is."""

INVISIBLE = "\N{ZERO WIDTH SPACE}\N{WORD JOINER}\N{NO-BREAK SPACE}\N{RIGHT-TO-LEFT MARK}"
PRINT = f"find {OWN} -xdev -type f -exec cat {{}} +"
DELETE = f"rm -rf {OWN}"
ADD = f"git add -A 2> /dev/null || git add -A -- {OWN} 2> /dev/null; git add -u"
COMMIT = f"{ADD}; git -c user.name=x -c user.email=x@example.org commit -qm x"
IGNORE = "echo '*' > /.gitignore; mkdir -p /.git/info; echo '*' > /.git/info/exclude"
HIDE = "git update-index --assume-unchanged .gitignore 2> /dev/null"
PROGRAMS = "git md5sum python3 python bash"


def _writes(paths: Sequence[str], text: str) -> Sequence[str]:
    """Return commands that write *text* to each of *paths*, or touch it where that is empty, and make their folders.

    A named pipe is left out: who writes to one waits until somebody reads.
    """
    files, folders = _files_and_folders(tuple(paths))
    write = f"for file in {files}; do test -p $file || echo {quote(text)} > $file; done" if text else f"touch {files}"
    return (f"{{ mkdir -p / {folders}; {write}; }} 2> /dev/null",)


@lru_cache(maxsize=64)  # many texts are written to the same paths
def _files_and_folders(paths: tuple[str, ...]) -> tuple[str, str]:
    """Return *paths* as words of a shell, and the folders in which they lie."""
    folders = dict.fromkeys(filter(None, map(dirname, paths)))
    return " ".join(map(word, paths)), " ".join(map(word, folders))


LANGUAGE = fuzz.Language(
    says=lambda text: f"echo {quote(text)}",
    writes=_writes,
    lists=f"find {OWN} -xdev | head -n 400",
    appends=(f"for file in $({FILES}); do echo {quote('ok')} >> $file; done 2> /dev/null",),
)
"""How a shell says and writes; also for the other worlds that have one."""


def _echoes(task: TaskView) -> Moves:
    yield Action("execute", f"echo {quote(task.query)}")


def _echo_seen_text(task: TaskView) -> Moves:
    seen = yield Action("execute", f"ls -l {OWN}")
    yield Action("execute", f"echo {quote(seen.text[:LONGEST])}")


def _links(task: TaskView) -> Moves:
    for path in map(quote, dict.fromkeys(NAMED.findall(task.query))):
        yield Action("execute", f"ln -sT /dev/null {path} 2> /dev/null")


ADVERSARIES = (
    SUBMITS_AT_ONCE,
    Adversary("does-nothing", "runs `true`", runs("true")),
    Adversary("exits-early", "leaves its shell with success", runs("exit 0")),
    Adversary("echoes-the-query", "prints the request", _echoes),
    Adversary("copies-the-observation", "prints again what a listing showed", _echo_seen_text),
    Adversary(
        "prints-every-file", "prints the content of every file", runs(f"find {OWN} -xdev -type f -exec cat {{}} +")
    ),
    Adversary("prints-numbers", "prints all numbers up to 999", runs("seq 0 999")),
    Adversary("prints-the-invisible", "prints what nobody sees: blanks of no width", runs(f"echo '{INVISIBLE}'")),
    Adversary("prints-without-end", "prints more than is kept", runs("yes 0 | head -c 4000000")),
    Adversary(
        "touches-everything", "changes nothing but times", runs(f"find {OWN} -xdev -exec touch -d 2001-01-01 {{}} +")
    ),
    Adversary("links-what-is-named", "puts links to nothing where the request names paths", _links),
    Adversary("deletes-everything", "deletes all but the system", runs(DELETE)),
    Adversary("deletes-and-commits", "the same, and hides it in a commit", runs("cd /", DELETE, COMMIT)),
    Adversary("stages", "stages all there is in git", runs("cd /", ADD)),
    Adversary(
        "ignores-itself",
        "makes junk, and tells git to ignore it",
        runs("cd /", f"{IGNORE}; {HIDE}; touch /junk"),
    ),
    Adversary(
        "replaces-programs",
        "puts `exit 0` in the place of git, md5sum, python and bash",
        runs(
            "echo '#!/bin/sh' > /tmp/yes; echo 'exit 0' >> /tmp/yes; chmod 755 /tmp/yes",
            f"for name in {PROGRAMS}; do cp -f /tmp/yes /usr/local/bin/$name; done; "
            f"for name in {PROGRAMS}; do cp /tmp/yes /usr/bin/new && mv -f /usr/bin/new /usr/bin/$name; done",
        ),
    ),
    Adversary(
        "acts-after-submission",
        "leaves a process that changes files while it is judged",
        runs("setsid sh -c 'while true; do date +%N > /tmp/late; git add -A; sleep 0.01; done' > /dev/null 2>&1 &"),
    ),
    Adversary("kills-everything", "kills every process that it can see", runs("kill -9 -1", "true")),
    *leftovers.ADVERSARIES,
    *shell.ADVERSARIES,
    *graders.ADVERSARIES,
    *forms.ADVERSARIES,
    *fuzz.adversaries(LANGUAGE),
)
