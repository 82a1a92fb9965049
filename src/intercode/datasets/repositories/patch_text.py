"""Which files a patch is about, read from the text that `git diff` writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import unified_diff

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NAMED = ("--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to ")
_ESCAPE = re.compile(r'\\([0-7]{3}|[abfnrtv"\\])')
_LETTERS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


def changed_paths(patch: str) -> frozenset[str]:
    """Return the paths, before and after, of all files that *patch* changes. A text that is no patch is about none.

    Lines inside hunks are counted off, so that a removed line `-- x` is not taken for a file's name.
    """
    return frozenset(path for path in _paths(patch) if path)


def write_patch(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """Return the patch, as `git apply` takes it, that makes the files *before* those *after*, by path.

    Files that are not text are left out.
    """
    return "".join(
        _file_patch(path, before.get(path), after.get(path)) for path in sorted(before.keys() | after.keys())
    )


def _file_patch(path: str, before: bytes | None, after: bytes | None) -> str:
    try:
        old, new = (text.decode() if text is not None else "" for text in (before, after))
    except UnicodeDecodeError:
        return ""
    if before == after or "\0" in old + new:
        return ""
    header = f"diff --git a/{path} b/{path}\n"
    if before is None or after is None:
        header += f"{'new' if before is None else 'deleted'} file mode 100644\n"
    name_before = f"a/{path}" if before is not None else "/dev/null"
    name_after = f"b/{path}" if after is not None else "/dev/null"
    return header + "".join(map(_whole_line, unified_diff(_lines(old), _lines(new), name_before, name_after)))


def _lines(text: str) -> list[str]:
    """Return the lines of *text* with their ends, which are line feeds alone: as git sees them."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _whole_line(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _paths(patch: str) -> Iterator[str]:
    old = new = 0
    for line in patch.split("\n"):
        if old > 0 or new > 0:
            old -= not line.startswith(("+", "\\"))
            new -= not line.startswith(("-", "\\"))
        elif hunk := _HUNK.match(line):
            old, new = (int(count) if count is not None else 1 for count in hunk.groups())
        elif line.startswith(_NAMED):
            kind = next(word for word in _NAMED if line.startswith(word))
            yield _path(line.removeprefix(kind), prefixed=kind in ("--- ", "+++ "))
        elif line.startswith("diff --git "):
            yield from _of_header(line.removeprefix("diff --git "))


def _of_header(names: str) -> Iterator[str]:
    """Yield the name, where both are the same: binary, empty and chmodded files have no other line with it."""
    half, odd = divmod(len(names) - 1, 2)
    if not odd and names[half] == " " and _path(names[:half], prefixed=True) == _path(names[half + 1 :], prefixed=True):
        yield _path(names[:half], prefixed=True)


def _path(text: str, *, prefixed: bool) -> str:
    """Return a name as git writes it, quoted where it has odd characters; "" for what is not there."""
    text = text.split("\t")[0].rstrip("\r")
    if text.startswith('"') and text.endswith('"'):
        text = _unquote(text[1:-1])
    if text == "/dev/null":
        return ""
    return text.partition("/")[2] if prefixed else text


def _unquote(text: str) -> str:
    def byte(match: re.Match[str]) -> str:
        code = match[1]
        return chr(_LETTERS[code]) if code in _LETTERS else chr(int(code, 8))

    # octal escapes are the bytes of UTF-8, one by one
    return _ESCAPE.sub(byte, text.encode().decode("latin-1")).encode("latin-1").decode("utf-8", "surrogateescape")
