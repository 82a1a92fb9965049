"""Mutants of Python code: one small change each, all different."""

from __future__ import annotations

import ast

import pytest

from intercode_generate.python.mutants import mutants

CODE = """\
def first(values, least=0):
    \"\"\"Says nothing that counts.\"\"\"
    for place in range(len(values)):
        if values[place] >= least and not values[place] % 2:
            return place
    return -1
"""


def test_mutants_are_code_and_none_is_there_twice_or_does_the_same_by_its_text() -> None:
    found = mutants(CODE)
    assert len(found) == len(set(found)) > 15
    assert all(ast.dump(ast.parse(text)) != ast.dump(ast.parse(CODE)) for text in found)


@pytest.mark.parametrize(
    "line",
    [
        "if values[place] > least and (not values[place] % 2):",
        "if values[place] >= least or not values[place] % 2:",
        "if values[place] >= least:",
        "if not (values[place] >= least and (not values[place] % 2)):",
        "if values[place] >= least and (not values[place] // 2):",
        "if values[place] >= least and (not values[place] % 3):",
        "for place in range(len(values) + 1):",
        "for place in range(len(values) - 1):",
        "def first(values, least=1):",
        "return +1",
        "return -2",
        "pass",
    ],
)
def test_operators_constants_comparisons_branches_and_returns_change(line: str) -> None:
    assert any(line in map(str.strip, text.splitlines()) for text in mutants(CODE))


def test_each_mutant_has_one_change_alone() -> None:
    right = ast.unparse(ast.parse(CODE)).splitlines()
    for text in mutants(CODE):
        lines = text.splitlines()
        assert len(lines) == len(right)
        assert sum(one != other for one, other in zip(lines, right, strict=True)) == 1


def test_docstrings_stay_and_calls_may_be_forgotten() -> None:
    found = mutants("def f(x):\n    return sorted(set(x), reverse=True)\n")
    assert "def f(x):\n    return (lambda value: value)(set(x))" in found
    assert "def f(x):\n    return sorted(set(x), reverse=False)" in found
    assert all("pass" not in text or "return" not in text for text in mutants('"""Alone."""\n'))
