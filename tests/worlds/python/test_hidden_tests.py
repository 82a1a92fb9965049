"""Hidden tests cut in two: what is asked, and what must hold of the answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from intercode.errors import BadDataError
from intercode.types import Criteria, Task
from intercode.worlds.python.hidden_tests import HiddenTest, hidden_tests, prints_the_same

GOLD = "def helper(x): return x\n\ndef area(a, b): return helper(a) * b"


def task(*tests: str, gold: str | None = GOLD, **extra: object) -> Task:
    return Task("own/1", "?", gold, "python", extra={"tests": list(tests), **extra})


def test_calls_are_cut_out_and_the_expected_value_stays() -> None:
    found = hidden_tests(task("assert area(2, 3) == 6"))
    assert (found.function, found.tests) == ("area", (HiddenTest(("area(2, 3)",), "assert _value_0 == 6"),))
    assert not found.wants_program


def test_calls_are_found_wherever_they_stand() -> None:
    (test,) = hidden_tests(task("assert abs(area(1, area(2, 3)) - area(2.0, 3)) < 1e-9 and not area(0, 0)")).tests
    assert test.calls == ("area(1, area(2, 3))", "area(2.0, 3)", "area(0, 0)")
    assert test.check == "assert abs(_value_0 - _value_1) < 1e-09 and (not _value_2)"


def test_the_function_is_the_one_that_tests_call_and_not_the_first_of_the_gold() -> None:
    assert hidden_tests(task("assert area(1, 1) == len([1])", "assert area(1, 2) == 2")).function == "area"
    assert hidden_tests(task("assert sorted(own([1])) == [1]", gold=None)).function == "sorted"
    assert hidden_tests(task("assert helper(1) == 1")).function == "helper"


def test_what_tests_need_comes_along() -> None:
    found = hidden_tests(task("assert area(two, 3) == 6", test_setup_code="two = 2"))
    assert (found.setup, found.checking) == ("two = 2", "two = 2")


@pytest.mark.parametrize("test", ["assert 1 == 1", "area(1, 1)", "assert (", "x = area(1, 1)", "assert area == 1"])
def test_a_test_that_asserts_nothing_about_the_function_is_refused(test: str) -> None:
    with pytest.raises(BadDataError, match="own/1"):
        hidden_tests(task("assert area(1, 1) == 1", test))


def test_a_tuple_which_is_true_whatever_it_holds_is_refused() -> None:
    with pytest.raises(BadDataError, match=r"own/1 has a test that holds whatever area returns.*MESSAGE"):
        hidden_tests(task("assert (area(1, 1) == 2, 'wrong')"))
    assert hidden_tests(task("assert area(1, 1) == 1, 'wrong'")).tests


@pytest.mark.parametrize(
    "test",
    [
        "assert all(area(n, n) == n * n for n in range(3))",
        "assert [area(a, b) for a in range(2) for b in range(a)] == [0]",
        "assert (lambda n: area(n, 1))(3) == 3",
        "assert {n: area(1, len([n])) for n in (1, 2)} == {1: 1, 2: 1}",
    ],
)
def test_a_test_whose_calls_cannot_be_run_without_it_is_refused(test: str) -> None:
    """It was taken, and no function could pass it."""
    with pytest.raises(BadDataError, match="own/1 has a test that calls area with what only the test knows"):
        hidden_tests(task(test))


@pytest.mark.parametrize(
    "test",
    [
        "assert area(len([n for n in range(3)]), 1) == sum(n for n in range(3))",
        "assert [n for n in range(3)] == [0, 1, 2] and area(n, 1) == n",
        "assert area(2, 1) in [n for n in range(3)]",
        "assert sorted([area(2, 1)], key=lambda n: -n) == [2]",
    ],
)
def test_a_test_may_have_names_of_its_own(test: str) -> None:
    assert len(hidden_tests(task(test)).tests[0].calls) == 1


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        ({"tests": "assert area(1, 1) == 1"}, "`tests` must be a list of assertions"),
        ({"tests": []}, "`tests` must be a list"),
        ({"tests": [1]}, "`tests` must be a list"),
        ({"tests": None}, "`tests` must be a list"),
        ({"tests": ["assert area(1, 1) == 1"], "test_setup_code": 5}, "`test_setup_code` that is no text"),
        ({"tests": ["assert area(1, 1) == 1"], "test_setup_code": "x = ("}, "`test_setup_code` that is not Python"),
        ({"inputs": ["1", "2"], "outputs": ["1"]}, "lists of the same length"),
        ({"inputs": [], "outputs": []}, "lists of the same length"),
        ({"inputs": "12", "outputs": "12"}, "lists of the same length"),
        ({"inputs": [1], "outputs": ["1"]}, "neither texts nor lists of lines"),
        ({"inputs": ["1"], "outputs": [None]}, "neither texts nor lists of lines"),
        ({"inputs": [[1, 1]], "outputs": [1], "fn_name": 5}, "`fn_name` that is no name of a function: 5"),
        ({"inputs": [[1, 1]], "outputs": [1], "fn_name": "area, x"}, "no name of a function: 'area, x'"),
        ({"inputs": ["1"]}, "has no tests: it needs the field `tests`"),
    ],
)
def test_whoever_wrote_the_tests_is_told_what_is_wrong(extra: dict[str, object], problem: str) -> None:
    """Some ended in a trace; with others nobody could succeed, or anybody with a letter that was right."""
    with pytest.raises(BadDataError, match=f"own/1 .*{problem}"):
        hidden_tests(Task("own/1", "?", GOLD, "python", extra=extra))


@pytest.mark.parametrize(
    ("criteria", "value", "expected", "holds"),
    [
        (Criteria(), "[2, 1]", "[1, 2]", False),
        (Criteria(any_order=True), "[2, 1]", "[1, 2]", True),
        (Criteria(any_order=True), "[2, 1, 1]", "[1, 2, 2]", False),
        (Criteria(any_order=True), "[2, 1, 1]", "[1, 2]", False),
        (Criteria(any_order=True), "(2, 1)", "[1, 2]", False),
        (Criteria(any_order=True), "[[2, 1], [3]]", "[[3], [1, 2]]", False),
        (Criteria(), "0.1 + 0.2", "0.3", False),
        (Criteria(close_numbers=True), "0.1 + 0.2", "0.3", True),
        (Criteria(close_numbers=True), "0.3001", "0.3", False),
        (Criteria(close_numbers=True), "'0.3'", "0.3", False),
        (Criteria(close_numbers=True), "None", "0.3", False),
        (Criteria(close_numbers=True), "10**400", "0.3", False),
        (Criteria(close_numbers=True), "1j", "0.3", False),
        (Criteria(close_numbers=True), "float('nan')", "0.3", False),
        (Criteria(close_numbers=True), "float('inf')", "0.3", False),
        (Criteria(close_numbers=True), "float('inf')", "float('inf')", True),
        (Criteria(close_numbers=True), "(0.1 + 0.2, {'a': [3e300 * 1.1]})", "(0.3, {'a': [3.3e300]})", True),
        (Criteria(close_numbers=True), "{'a': 1.0}", "{'b': 1.0}", False),
        (Criteria(close_numbers=True), "[0.3]", "(0.3,)", False),
        (Criteria(close_numbers=True, any_order=True), "[1, 0.1 + 0.2]", "[0.3, 1]", True),
    ],
)
def test_what_does_not_count_is_passed_over(criteria: Criteria, value: str, expected: str, holds: bool) -> None:
    found = hidden_tests(replace(task(f"assert area(1, 1) == {expected}"), criteria=criteria))
    space: dict[str, object] = {}
    exec(found.checking, space)
    if holds:
        exec(found.tests[0].check, {**space, "_value_0": eval(value)})
    else:
        with pytest.raises(AssertionError):
            exec(found.tests[0].check, {**space, "_value_0": eval(value)})


def test_other_comparisons_are_left_as_they_are() -> None:
    found = hidden_tests(
        replace(task("assert area(1, 1) < 2 or area(1, 2) in (2,)"), criteria=Criteria(any_order=True))
    )
    assert found.tests[0].check == "assert _value_0 < 2 or _value_1 in (2,)"


def test_a_task_without_tests_is_refused() -> None:
    with pytest.raises(BadDataError, match="own/1 has no tests"):
        hidden_tests(Task("own/1", "?", "1", "python"))


def test_functions_of_apps_are_called_alone_or_in_a_class() -> None:
    extra = {"fn_name": "add", "inputs": [[1, [2]], [{"1": "a", "-2": "b"}]], "outputs": [[3], {"x": 1.5}]}
    found = hidden_tests(Task("own/1", "?", "1", "python", extra=extra))
    calls = [test.calls[0] for test in found.tests]
    assert calls[0] == "(Solution().add if 'Solution' in globals() else add)(1, [2])"
    assert calls[1].endswith("({1: 'a', -2: 'b'})")
    assert found.tests[0].check == "assert _same(_value_0, [3]) or _same(_value_0, 3)"
    assert (found.function, found.wants_program) == ("add", False)


def test_numbers_of_any_length_can_be_asked_about() -> None:
    extra = {"fn_name": "f", "inputs": [[10**9000]], "outputs": [10**9000 + 1]}
    (test,) = hidden_tests(Task("own/1", "?", "1", "python", extra=extra)).tests
    assert f"({hex(10**9000)})" in test.calls[0]
    assert hex(10**9000 + 1) in test.check


def test_programs_are_asked_for_by_inputs_and_outputs() -> None:
    extra = {"inputs": ["1\n2\n", ["3", "4"]], "outputs": ["3\n", ["7"]]}
    found = hidden_tests(Task("own/1", "?", "1", "python", extra=extra))
    assert found.wants_program
    assert [(test.given, test.expected) for test in found.tests] == [("1\n2\n", "3\n"), ("3\n4", "7")]


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("1 2\n3\n", "1 2\n3", True),
        ("1  2 \n3\n\n", "1 2\n3\n", True),
        ("1 2 3\n", "1 2\n3\n", False),
        ("0.3333333\n", "0.33333333333\n", True),
        ("0.34\n", "0.33\n", False),
        ("1e-3", "0.001", True),
        ("3.0", "3", False),
        ("nan", "0.5", False),
        ("YES", "Yes", False),
        ("", "", True),
        ("", "0", False),
    ],
)
def test_output_is_compared_word_by_word(printed: str, expected: str, same: bool) -> None:
    assert prints_the_same(printed, expected) is same
