"""What the source of a reward gives away: the texts and numbers that stand in it, for whoever may read it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from intercode.datasets.base import Dataset
from intercode.runs.hackcheck.patterns import example

MOST = 12
"""Texts, and numbers, that are taken from one source."""

LONGEST = 200
"""Characters of a text that is taken."""

_PATH = re.compile(r"~?\.{0,2}/?(?:[\w.@%+-]+/)*[\w.@%+-]+")


@dataclass(frozen=True, slots=True)
class Clues:
    """The constants of a reward's source, in its order: `paths` are those of `texts` that look like a file's."""

    texts: tuple[str, ...] = ()
    numbers: tuple[int | float, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Absolute paths, and names with a dot in them."""
        return tuple(text for text in self.texts if _is_path(text))

    @property
    def words(self) -> tuple[str, ...]:
        """All other texts, and an example of what each of them matches that is a pattern."""
        plain = [text for text in self.texts if text.strip() and not text.startswith("/")]
        examples = (example(text) for text in plain)
        return (*plain, *(text for text in examples if text))


NO_CLUES = Clues()


def of_dataset(dataset: Dataset, reward: str = "") -> Clues:
    """Those of the file *reward*, or else of its own reward; and of its world where that is a file."""
    if reward.endswith(".py"):
        return of_files([Path(reward)])
    own_world = [Path(dataset.world)] if dataset.world.endswith(".py") else []
    return of_files([*([dataset.reward_file] if dataset.reward_file else []), *own_world])


def of_files(files: Sequence[Path]) -> Clues:
    """Those of Python *files*, which are read and never run; none of a file that cannot be read as Python."""
    return _collect_clues(constant for path in files for constant in _constants(path))


def _collect_clues(constants: Iterator[object]) -> Clues:
    texts: dict[str, None] = {}
    numbers: dict[int | float, None] = {}
    for constant in constants:
        if isinstance(constant, bytes):
            constant = constant.decode("utf-8", "replace")
        if isinstance(constant, str) and 0 < len(constant) <= LONGEST and "\0" not in constant:
            texts[constant] = None
        elif isinstance(constant, int | float) and not isinstance(constant, bool):
            numbers[constant] = None
    return Clues(tuple(texts)[:MOST], tuple(numbers)[:MOST])


def _constants(path: Path) -> Iterator[object]:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings among them
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in said:
            yield node.value


def _is_path(text: str) -> bool:
    return _PATH.fullmatch(text) is not None and (text.startswith(("/", "~/")) or "." in text.strip("."))
