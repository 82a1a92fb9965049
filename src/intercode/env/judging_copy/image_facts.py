"""What an image has, asked of a fresh session of it: homes, names of programs and libraries, Python's modules.

Nothing of an agent's is in such a session, so its programs can be believed. Each question is asked once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from posixpath import dirname, normpath

from intercode.env.judging_copy.path_classes import LIBRARY_VARIABLES, PROGRAM_VARIABLES
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Session

SHELL = "/bin/sh"
SECONDS = 60.0
"""For one question."""

FIRST_USER = 1000
"""Number of the first account that is a person's."""

LIBRARIES = (
    "for place; do find -H $place -xdev -name '*.so*' -print; done 2> /dev/null | sed 's,.*/,,'",
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"),
)
PYTHONS = """
for place; do
  for python in $place/python3 $place/python3.[0-9]* $place/python; do
    [ -x "$python" ] || continue
    "$python" -B -c 'import sys, pkgutil
print(*getattr(sys, "stdlib_module_names", ()), *(each.name for each in pkgutil.iter_modules()), sep="\\n")'
  done
done 2> /dev/null
"""


class ImageFacts:
    """Facts of *image*. *start* makes a fresh session of it."""

    def __init__(self, image: Image, start: Callable[[], AbstractContextManager[Session]]) -> None:
        self.image, self._start = image, start
        self._real = dict[str, str]()

    @cached_property
    def homes(self) -> tuple[str, ...]:
        """Homes of all who may log in: what programs take for one."""
        with self._start() as session:
            try:
                lines = session.read("/etc/passwd").decode("utf-8", "replace").splitlines()
            except OSError:
                lines = []
        accounts = [fields for line in lines if len(fields := line.split(":")) == 7]
        found = [fields[5] for fields in accounts if _may_log_in(fields)]
        places = [normpath(place) for place in ("/root", self.image.env.get("HOME", ""), *found) if place[:1] == "/"]
        return tuple(dict.fromkeys(place for place in places if place != "/nonexistent"))

    @cached_property
    def program_folders(self) -> tuple[str, ...]:
        """Return where programs are looked for by name; `.` for the folder in which somebody is."""
        given = self.image.env.get("PATH", "").split(":")
        return tuple(dict.fromkeys(normpath(place) if place.startswith("/") else "." for place in given))

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """Folders of programs that variables name, such as a virtual environment's."""
        given = [place for name in PROGRAM_VARIABLES for place in self._folders(name)]
        return tuple(dict.fromkeys(dirname(place) if place.endswith(("/bin", "/sbin")) else place for place in given))

    @cached_property
    def libraries(self) -> tuple[str, ...]:
        """Folders of modules that variables name."""
        return tuple(dict.fromkeys(place for name in LIBRARY_VARIABLES for place in self._folders(name)))

    @cached_property
    def programs(self) -> frozenset[str]:
        """Names of all programs."""
        return self._ask('for place; do ls -1 -- "$place"; done 2> /dev/null', *self.program_folders)

    @cached_property
    def shared_objects(self) -> frozenset[str]:
        """Names of all libraries where the loader looks for them."""
        return self._ask(*LIBRARIES)

    @cached_property
    def modules(self) -> frozenset[str]:
        """Names of all modules that its Pythons find."""
        return self._ask(PYTHONS, *self.program_folders)

    def real_folder(self, path: str) -> str:
        """Return where *path* leads by links of the image."""
        if path not in self._real:
            with self._start() as session:
                result = session.run([SHELL, "-c", 'readlink -f -- "$1"', "sh", path], timeout=SECONDS)
            self._real[path] = result.output.decode("utf-8", "surrogateescape").removesuffix("\n") or path
        return self._real[path]

    def has_file(self, path: str) -> bool:
        """Return whether there is such a file."""
        with self._start() as session:
            try:
                session.read(path, limit=1)
            except OSError:
                return False
        return True

    def _folders(self, variable: str) -> list[str]:
        return [normpath(place) for place in self.image.env.get(variable, "").split(":") if place.startswith("/")]

    def _ask(self, script: str, *arguments: str) -> frozenset[str]:
        """Return the lines that *script* prints; none in an image without a shell."""
        with self._start() as session:
            result = session.run([SHELL, "-c", script, "sh", *arguments], timeout=SECONDS)
        return frozenset(result.output.decode("utf-8", "surrogateescape").splitlines())


def _may_log_in(fields: Sequence[str]) -> bool:
    """Return whether an account is root's or a person's, or that of a service which has a shell."""
    number, shell = fields[2], fields[6]
    is_person = number == "0" or (number.isdecimal() and FIRST_USER <= int(number) < 60000)
    return is_person or shell.endswith("sh")
