"""What the source of a reward gives away: the texts and numbers that stand in it, for whoever may read it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from intercode.adversaries.patterns import example
from intercode.datasets.base import Dataset
from intercode.types import Task
from intercode.util.regular_files import read_bytes

MOST = 12
"""Texts, and numbers, that are taken from one source."""

LONGEST = 200
"""Characters of a text that is taken."""

LARGEST = 1 << 18
"""Bytes of a source that is read."""

_SHELL = re.compile(
    r"\"([^\"$`\n]{1,200})\"|'([^'\n]{1,200})'|(?<![\w$./=-])((?:/|\./)?[\w.@-]+(?:/[\w.@-]+)*\.\w{1,5}|/[\w./@-]+)"
)
"""Texts in quotes, and paths."""

_SEARCH = re.compile(r"\bPATH=[\"']?([^\s\"';&|]+)")
"""What a script sets as its search path."""

_COMPARED = re.compile(r"(?:-eq|-ne|-ge|-gt|-le|-lt|==?|>=|<=)\s*[\"']?(\d{1,6})\b")
"""The number with which a script compares."""

_PATH = re.compile(r"~?\.{0,2}/?(?:[\w.@%+-]+/)*[\w.@%+-]+")


@dataclass(frozen=True, slots=True)
class Clues:
    """The constants of a reward's source, in its order: `paths` are those of `texts` that look like a file's."""

    texts: tuple[str, ...] = ()
    numbers: tuple[int | float, ...] = ()
    imports: tuple[str, ...] = ()
    """The modules that it imports, beside Python's own."""

    search_paths: tuple[str, ...] = ()
    """What its scripts set as PATH."""

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


def of_dataset(dataset: Dataset, reward: str = "", task: Task | None = None) -> Clues:
    """Return those of what grades *task*.

    Args:
        dataset: The task's. Its files that grade are read, and its world where that is a file.
        reward: A file that judges instead; "" or a name for none.
        task: The task; None for what grades all.
    """
    if reward.endswith(".py"):
        return of_files([Path(reward)])
    own_world = [Path(dataset.world)] if dataset.world.endswith(".py") else []
    graders = [dataset.reward_file] if dataset.reward_file else []
    return of_files([*(graders if task is None else dataset.grader_files(task)), *own_world])


def of_files(files: Sequence[Path]) -> Clues:
    """Return those of *files*, which are read and never run; none of a file that cannot be read."""
    found = _collect_clues(constant for path in files for constant in _constants(path))
    imports = dict.fromkeys(name for path in files for name in _imports(path))
    beside = {path.stem for path in files}
    set_by = dict.fromkeys(each for path in files if path.suffix != ".py" for each in _SEARCH.findall(_script(path)))
    return replace(
        found, imports=tuple(name for name in imports if name not in beside)[:MOST], search_paths=tuple(set_by)[:MOST]
    )


def _imports(path: Path) -> Iterator[str]:
    if path.suffix != ".py":
        return
    for node in ast.walk(_parse(path)):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        yield from (name for name in names if name.partition(".")[0] not in sys.stdlib_module_names and "." not in name)


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


def _parse(path: Path) -> ast.AST:
    """Return *path* as Python; nothing where it is none."""
    try:
        return ast.parse(read_bytes(path, most=LARGEST))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _constants(path: Path) -> Iterator[object]:
    return _constants_of_python(path) if path.suffix == ".py" else _words_of_shell(path)


def _script(path: Path) -> str:
    """Return the lines of a script but for comments; nothing of what is no text."""
    try:
        text = read_bytes(path, most=LARGEST).decode()
    except (OSError, UnicodeDecodeError):
        return ""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def _words_of_shell(path: Path) -> Iterator[object]:
    """Yield what stands in quotes in a script, its paths, and the numbers with which it compares."""
    text = _script(path)
    for found in _SHELL.finditer(text):
        yield next(group for group in found.groups() if group is not None)
    yield from map(int, _COMPARED.findall(text))


def _constants_of_python(path: Path) -> Iterator[object]:
    tree = _parse(path)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings among them
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in said:
            yield node.value


def _is_path(text: str) -> bool:
    return _PATH.fullmatch(text) is not None and (text.startswith(("/", "~/")) or "." in text.strip("."))
