"""Every public method says what it promises, unless a base class says so: ruff's D102 cannot see that."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / "src", *sorted((ROOT / "packages").glob("*/src"))]
MATERIAL = {"starter", "template", "templates", "inside", "testing"}
"""Folders of programs that run elsewhere, and contracts, whose tests' names are sentences."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def classes() -> dict[str, list[tuple[Path, ast.ClassDef]]]:
    found = defaultdict(list)
    for source in SOURCES:
        for path in sorted(source.rglob("*.py")):
            if not MATERIAL & set(path.parts):
                for node in ast.walk(ast.parse(path.read_text())):
                    if isinstance(node, ast.ClassDef):
                        found[node.name].append((path, node))
    return found


def names_of_bases(node: ast.ClassDef) -> list[str]:
    plain = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
    return [base.attr if isinstance(base, ast.Attribute) else ast.unparse(base) for base in plain]


def test_a_public_method_without_a_docstring_has_one_in_a_base_class() -> None:
    known = classes()

    def is_promised(name: str, node: ast.ClassDef, seen: frozenset[str] = frozenset()) -> bool:
        for base in set(names_of_bases(node)) - seen:
            if base not in known:
                return True  # somebody else's class: its own documentation says it
            for _, parent in known[base]:
                own = [each for each in parent.body if isinstance(each, Function) and each.name == name]
                if any(ast.get_docstring(each) for each in own) or is_promised(name, parent, seen | {base}):
                    return True
        return False

    undocumented = [
        f"{path.relative_to(ROOT)}:{method.lineno} {node.name}.{method.name}"
        for found in known.values()
        for path, node in found
        if not node.name.startswith("_")
        for method in node.body
        if isinstance(method, Function) and not method.name.startswith("_") and not ast.get_docstring(method)
        if not any(ast.unparse(each).endswith(".setter") for each in method.decorator_list)
        if not is_promised(method.name, node)
    ]
    assert sum(map(len, known.values())) > 500
    assert not undocumented, undocumented
