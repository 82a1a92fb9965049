"""Measure how much of the code a person must hold: `python scripts/measure_layout.py [--list]`.

One line per figure: lines of the whole tree and of the heart, folders that hold code of one world, uses of private
names from other files, ignored imports, class names borne twice, modules whose name says nothing, files that an option
touches, and docstrings that begin with a question word. `--list` names what is counted.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = [ROOT / "src", *sorted((ROOT / "packages").glob("*/src"))]
WORLDS = ("bash", "sql", "python", "swe", "ctf", "harbor")
EMPTY_NAMES = {"core", "base", "shared", "parts"}
OF_OTHERS = {"_exit", "_replace", "_fields", "_run_exitfuncs"}  # Python's own, documented or without another way
OF_PEERS = {"integrations", "exports"}  # their files are called as the programs and formats of others
QUESTIONS = re.compile(r"(What|Where|Whether|Who|Whoever|Whose|How)\b")
OPTION = "episode-seconds"
"""An option of `run` that no other command has, and that runs hand on to the environment."""

REFERENCE = ROOT / "docs/reference/cli.md"
HEART = (
    "src/intercode/types",
    "src/intercode/env",
    "src/intercode/agents/base.py",
    "packages/sandbox/src/intercode_sandbox/sandbox.py",
    "src/intercode/runs/job.py",
    "src/intercode/runs/runner.py",
)


@cache
def parse(file: Path) -> ast.Module:
    """Return the syntax tree of *file*."""
    return ast.parse(file.read_text(encoding="utf-8"))


def find_files() -> list[Path]:
    """Return every Python file of every distribution."""
    return [file for source in SOURCES for file in sorted(source.rglob("*.py"))]


def count_lines(files: list[Path]) -> int:
    """Return the number of lines in *files*."""
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def find_heart(files: list[Path]) -> list[Path]:
    """Return the files of *files* that a newcomer must know before anything else."""
    places = [ROOT / each for each in HEART]
    return [file for file in files if any(file == place or place in file.parents for place in places)]


def find_folders(world: str, files: list[Path]) -> set[Path]:
    """Return the outermost folders that are named after *world* and hold code.

    The sandbox knows no world, as an import rule proves: its images of Python are not of that world.
    """
    found = set()
    for file in files:
        for source in SOURCES:
            if (
                {"generate", "sandbox"} & set(source.parts)
                or not file.is_relative_to(source)
                or OF_PEERS & set(file.parts)
            ):
                continue
            names = file.relative_to(source).with_suffix("").parts
            for number, name in enumerate(names):
                if world in name.split("_"):
                    found.add(source.joinpath(*names[:number]))
                    break
    return found


def find_private_uses(files: list[Path]) -> list[str]:
    """Return where a file uses a private name that it does not define itself: imported, or an object's attribute."""
    found = []
    for file in files:
        tree = parse(file)
        own = {name for node in ast.walk(tree) for name in _defined(node)}
        for node in ast.walk(tree):
            match node:
                case ast.ImportFrom(names=names):
                    private = [each.name for each in names if _is_private(each.name)]
                case ast.Attribute(value=value, attr=name) if _is_private(name) and name not in own:
                    private = [name] if not (isinstance(value, ast.Name) and value.id in {"self", "cls"}) else []
                case _:
                    private = []
            found += [f"{file.relative_to(ROOT)}:{node.lineno} {name}" for name in private]  # type: ignore[attr-defined]
    return found


def find_shared_class_names(files: list[Path]) -> dict[str, int]:
    """Return how often each class name is borne that more than one public class bears."""
    names = Counter(
        node.name
        for file in files
        for node in parse(file).body
        if isinstance(node, ast.ClassDef) and node.name[0] != "_"
    )
    return {name: number for name, number in names.items() if number > 1}


def find_empty_names(files: list[Path]) -> set[str]:
    """Return the modules and packages whose name does not say what is in them."""
    found = set()
    for file in files:
        places = [file.with_suffix(""), file.parent] if file.stem == "__init__" else [file.with_suffix("")]
        found |= {str(place.relative_to(ROOT)) for place in places if place.name in EMPTY_NAMES}
    return found


def find_first_lines(files: list[Path]) -> Iterator[str]:
    """Yield the first line of the docstring of every function."""
    for file in files:
        for node in ast.walk(parse(file)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
                yield text.partition("\n")[0]


def count_ignored_imports() -> int:
    """Return how many imports the import rules make an exception for."""
    text = (ROOT / ".importlinter").read_text(encoding="utf-8")
    return len(re.findall(r"^\s+\S+ -> \S+$", text, re.MULTILINE))


def find_option_files() -> list[str]:
    """Return the files of commands, runs and the reference that name `OPTION`: what a new option of `run` touches."""
    places = [*(ROOT / "src/intercode/cli").rglob("*.py"), *(ROOT / "src/intercode/runs").rglob("*.py"), REFERENCE]
    named = re.compile(OPTION.replace("-", "[-_]?"), re.IGNORECASE)
    return sorted(str(each.relative_to(ROOT)) for each in places if named.search(each.read_text(encoding="utf-8")))


def main() -> None:
    """Print every figure; with `--list`, what each counts."""
    files = find_files()
    heart, private, shared = find_heart(files), find_private_uses(files), find_shared_class_names(files)
    empty, lines = find_empty_names(files), list(find_first_lines(files))
    questions = [line for line in lines if QUESTIONS.match(line)]
    options = find_option_files()
    folders = {world: find_folders(world, files) for world in WORLDS}
    figures: list[tuple[str, str, list[str]]] = [
        ("lines of Python, all distributions", f"{count_lines(files)}", []),
        ("lines of the heart", f"{count_lines(heart)}", [str(each.relative_to(ROOT)) for each in heart]),
        *(
            (f"folders that hold code of {world}", f"{len(each)}", sorted(str(one.relative_to(ROOT)) for one in each))
            for world, each in folders.items()
        ),
        ("uses of private names of other files", f"{len(private)}", private),
        ("ignored imports", f"{count_ignored_imports()}", []),
        ("class names borne more than once", f"{len(shared)}", [f"{name}: {n}" for name, n in sorted(shared.items())]),
        ("modules called core, base, shared or parts", f"{len(empty)}", sorted(empty)),
        ("files that name --episode-seconds", f"{len(options)}", options),
        ("docstrings that begin with a question word", f"{len(questions) / len(lines):.1%} of {len(lines)}", questions),
    ]
    for name, value, counted in figures:
        print(f"{value:>14}  {name}")
        if "--list" in sys.argv[1:]:
            print(*(f"{'':16}{each}" for each in counted), sep="\n")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in OF_OTHERS


def _defined(node: ast.AST) -> list[str]:
    """Return the names that *node* defines: functions, classes, variables, attributes of self."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Attribute(value=ast.Name("self" | "cls"), attr=name, ctx=ast.Store()) | ast.Name(name, ast.Store()):
            return [name]
        case ast.arg(arg=name):
            return [name]
    return []


if __name__ == "__main__":
    main()
