"""Places that programs which judge name in their own text: nobody runs them to find out, since the text is known.

What a text computes cannot be read off it. So `HOME=$PWD/me` names every folder called `me`, and `HOME=$X` any folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from posixpath import join, normpath

CHANGE_OF_FOLDER = re.compile(
    r"""(?:\b(?:cd|pushd|chdir|cwd|rootdir|workdir|directory)\b|\s-C)[\s=:(,]{1,3}["']?(/?[\w.~/-]+)"""
)
"""How a program, or the text of one, says where it goes on."""

RUNS_TESTS = re.compile(
    r"(?:PATH|PERL5LIB|RUBYLIB)\b|\bsys\.path\b"
    r"|\b(?:pytest|unittest|tox|nox|coverage|npm|npx|yarn|pnpm|jest|mocha|vitest|rspec|rake|make|cargo|go|mypy|ruff|prove)\b"
)
PATH = re.compile(r"(?<![\w.~/-])/[\w.-]+(?:/[\w.-]+)*")
"""In a line that runs tests, or says where modules are: where these may be."""

SETS_PATH = re.compile(r"""(?<!\w)PATH["']?\]?[ ]?[=:][ ]?f?["']?([^\s"';]+)""")
"""How one says where programs are looked for first."""

_SETS = r"""(?<![\w$])(?<!\$\{)(?:%s)["']?\]?[ \t]*(?:[=,]|:(?!-)|[ \t](?=[/$"'~]))[ \t]*(?=([^\n;&|]*))"""
SETS_HOME = re.compile(_SETS % "HOME|CURL_HOME|ZDOTDIR")
"""How one says in which folder programs find the dot files of whoever runs them; the group is the rest of the line."""

SETTINGS = (
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CONFIG_DIRS", "PYTHONUSERBASE", "PYTHONSTARTUP", "PYTHONPYCACHEPREFIX"),
    *("BASH_ENV", "INPUTRC", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG", "GIT_TEMPLATE_DIR", "GNUPGHOME"),
    *("PIP_CONFIG_FILE", "NPM_CONFIG_USERCONFIG", "WGETRC", "NETRC", "OPENSSL_CONF", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "CARGO_HOME"),
)
SETS_SETTINGS = re.compile(_SETS % "|".join(SETTINGS))
"""How one says where a file or folder of settings is."""

FRESH = re.compile(r"mktemp|mkdtemp|tmp_path|tmpdir|TemporaryDirectory", re.IGNORECASE)
"""Says that a folder is made anew: nobody has left anything there."""

_COMPUTED = r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|`[^`]*`"
VALUE = re.compile(rf"""(?:{_COMPUTED}|"[^"]*"|'[^']*'|[^\s"',)}}])*""")
COMPUTED = re.compile(_COMPUTED + r"|\{[^}]*\}")
ITSELF = re.compile(r"\$HOME|\$\{HOME(?::-(/[^}]*))?\}")
GOES_ON = re.compile(r"\s*[+/%.(\[]")
"""After a text: it is a part of an expression."""


@dataclass(frozen=True, slots=True)
class Places:
    """Folders and files that programs which judge name.

    Attributes:
        begins: Where they begin or go on.
        programs: Where they look for programs.
        homes: Where they look for dot files. An absolute path, or how one ends: `me` stands for every folder called so,
            "" for any.
        settings: Where they look for other settings, said in the same way.
    """

    begins: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str], cwd: str) -> Places:
        """Return those of *texts*, of programs that begin in *cwd*."""
        begins, programs, homes, settings = [normpath(cwd)], list[str](), list[str](), list[str]()
        for text in texts:
            begins += folders_named(text, cwd)
            homes += values_named(text, SETS_HOME)
            settings += filter(None, values_named(text, SETS_SETTINGS))
            for value in SETS_PATH.findall(text):
                programs += (normpath(place) for place in value.split(":") if place.startswith("/"))
        return cls(*(tuple(dict.fromkeys(each)) for each in (begins, programs, homes, settings)))


def folders_named(text: str, cwd: str) -> Iterator[str]:
    """Yield the folders that *text*, of a program that begins in *cwd*, says it goes on in."""
    for found in CHANGE_OF_FOLDER.findall(text):
        yield normpath(join(cwd, found))
    for line in filter(RUNS_TESTS.search, text.splitlines()):
        yield from map(normpath, PATH.findall(line))


def values_named(text: str, sets: re.Pattern[str]) -> Iterator[str]:
    """Yield what *text* sets a variable to that *sets* finds.

    That is an absolute path; of one that is computed its end; and "" for an expression, which may be anything.
    """
    for rest in sets.findall(text):
        found = VALUE.match(rest)
        written = found[0] if found else ""
        value = re.sub(r"""^[fr](?=["'])|["']""", "", written)
        if not value or FRESH.search(rest):
            continue
        if itself := ITSELF.fullmatch(value):
            yield from [normpath(itself[1])] if itself[1] else []
        elif re.fullmatch(r"\w+", value) or "(" in COMPUTED.sub("", value) or GOES_ON.match(rest, len(written)):
            yield ""
        elif value.startswith("/") and not COMPUTED.search(value):
            yield from (normpath(each) for each in value.split(":") if each.startswith("/"))
        else:
            yield "" if value.startswith("~") else normpath("/" + COMPUTED.split(value)[-1]).strip("/")
