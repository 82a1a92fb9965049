"""The docstrings that docs/reference shows say what is raised, and what every field is, in sections of Google's style.

Ruff checks the style itself (`D`, with `convention = "google"`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode import errors

ROOT = Path(__file__).parents[2]
SOURCES = (ROOT / "src", ROOT / "packages/sandbox/src")
PAGES = sorted((ROOT / "docs/reference").glob("*.md"))
MODULES = sorted({name for page in PAGES for name in re.findall(r"^::: (\S+)", page.read_text(), re.MULTILINE)})

FEW = 3
"""A dataclass with so many fields or fewer may explain them in a sentence."""

ABSTRACT = {"NotImplementedError"}
"""What methods raise that are there to be overridden."""

MATERIAL = {"starter", "template", "inside"}
"""Folders of programs that run elsewhere: in tasks, or in the Python of an image."""

Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def public(node: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, Documented]]:
    """The public classes, functions and methods of a module or class, by name."""
    for each in node.body:
        if isinstance(each, Documented) and (not each.name.startswith("_") or each.name == "__init__"):
            yield f"{prefix}{each.name}", each
            if isinstance(each, ast.ClassDef):
                yield from public(each, f"{prefix}{each.name}.")


def section(node: Documented, title: str) -> list[str]:
    """What the section of a docstring names."""
    found = re.search(rf"^{title}:\n((?:    .*\n?|\n)+)", ast.get_docstring(node) or "", re.MULTILINE)
    return re.findall(r"^    \*{0,2}(\w+):", found[1], re.MULTILINE) if found else []


def raised(node: Documented) -> set[str]:
    """The exceptions in the `raise` statements of a function."""
    calls = (each.exc for each in ast.walk(node) if isinstance(each, ast.Raise))
    names = (each.func if isinstance(each, ast.Call) else each for each in calls)
    return {each.id for each in names if isinstance(each, ast.Name) and each.id.endswith("Error")} - ABSTRACT


def is_named(error: str, named: list[str]) -> bool:
    """Whether *error*, or what it derives from, is among *named*."""
    kind = getattr(errors, error, None)
    return error in named or (kind is not None and any(base.__name__ in named for base in kind.__mro__))


def documented(module: str) -> list[tuple[str, Documented]]:
    sources = ROOT / ("packages/sandbox/src" if module.startswith("intercode_sandbox") else "src")
    path = sources / module.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return list(public(ast.parse(source.read_text())))


@pytest.mark.parametrize("module", MODULES)
def test_what_is_raised_stands_in_a_section_of_its_own(module: str) -> None:
    for name, node in documented(module):
        text = ast.get_docstring(node) or ""
        assert not re.search(r"\bRaises [`A-Z]", text), f"{name}: a section `Raises:` in place of a sentence"
        if not isinstance(node, ast.ClassDef) and text and not text.startswith("See `"):
            missing = [error for error in raised(node) if not is_named(error, section(node, "Raises"))]
            assert not missing, f"{name} raises {missing}, which `Raises:` does not name"


def test_no_public_function_says_in_a_sentence_what_it_raises() -> None:
    """Also outside the reference: a section is found at once, a sentence is not."""
    files = [path for folder in SOURCES for path in folder.rglob("*.py") if not MATERIAL & set(path.parts)]
    said = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        for name, node in public(ast.parse(path.read_text()))
        if re.search(r"\bRaises [`A-Z]", ast.get_docstring(node) or "")
    ]
    assert len(files) > 500
    assert not said


@pytest.mark.parametrize("module", MODULES)
def test_every_field_of_a_value_is_described(module: str) -> None:
    for name, node in documented(module):
        if not isinstance(node, ast.ClassDef) or "dataclass" not in " ".join(map(ast.unparse, node.decorator_list)):
            continue
        fields = [each.target.id for each in annotated(node) if isinstance(each.target, ast.Name)]
        fields = [field for field in fields if not field.startswith("_")]
        named = section(node, "Attributes")
        assert named == fields or (not named and (len(fields) <= FEW or has_docstrings(node))), name


def annotated(node: ast.ClassDef) -> list[ast.AnnAssign]:
    return [each for each in node.body if isinstance(each, ast.AnnAssign)]


def has_docstrings(node: ast.ClassDef) -> bool:
    """Whether a string follows every field, and describes it."""
    following = zip(node.body, node.body[1:], strict=False)
    return all(isinstance(after, ast.Expr) for each, after in following if isinstance(each, ast.AnnAssign))
