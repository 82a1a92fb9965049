"""`.dockerignore`: what of a folder a build does not see."""

from __future__ import annotations

import re
from pathlib import Path

NAME = ".dockerignore"


class Ignored:
    """The patterns of the file in *folder*; the last one that fits decides, and `!` takes back."""

    def __init__(self, folder: Path) -> None:
        self.folder, path = folder, folder / NAME
        lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() and not path.is_symlink() else []
        patterns = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        self._patterns = [(not each.startswith("!"), _pattern(each.removeprefix("!"))) for each in patterns]

    def __call__(self, path: Path) -> bool:
        """Return whether *path*, in the folder, is left out: itself, or by a folder that it is in."""
        place, left_out = path.relative_to(self.folder).as_posix(), False
        for leaves_out, pattern in self._patterns:
            if pattern.fullmatch(place):
                left_out = leaves_out
        return left_out


def _pattern(text: str) -> re.Pattern[str]:
    """Return the expression for a pattern as Go's `filepath.Match` has them, with `**` for any folders."""
    found, at = "", 0
    text = re.sub(r"/+", "/", text.strip()).strip("/").removeprefix("./")
    while at < len(text):
        if text.startswith("**/", at):
            found, at = found + "(?:.*/)?", at + 3
        elif text.startswith("**", at):
            found, at = found + ".*", at + 2
        elif text[at] == "\\" and at + 1 < len(text):
            found, at = found + re.escape(text[at + 1]), at + 2
        elif text[at] == "[" and "]" in text[at:]:
            end = text.index("]", at)
            found, at = f"{found}[{text[at + 1 : end]}]", end + 1
        else:
            found, at = found + {"*": "[^/]*", "?": "[^/]"}.get(text[at], re.escape(text[at])), at + 1
    try:
        return re.compile(f"{found}(?:/.*)?", re.DOTALL)
    except re.error:  # such as [z-a], which Docker refuses
        return re.compile(re.escape(text))
