"""How a fix is graded, by hand-made results."""

from __future__ import annotations

from dataclasses import replace

import pytest

from intercode.worlds.swe.patch import CaseOutcome, CaseStatus, PatchEnding, SuiteRun, exact, paper


def run(*outcomes: tuple[str, CaseStatus]) -> SuiteRun:
    return SuiteRun(tuple(CaseOutcome((name,), status) for name, status in outcomes))


def both(ending: PatchEnding) -> tuple[float, float]:
    return paper(ending).value, exact(ending).value


def test_all_tests_have_to_pass() -> None:
    outcomes = run(("a", "passed"), ("b", "passed"), ("c", "passed"))
    assert both(PatchEnding(["a", "b"], ["c"], outcomes)) == (1, 1)
    assert exact(PatchEnding(["a", "b"], ["c"], outcomes)).success


def test_exact_pays_in_parts_and_paper_does_not() -> None:
    outcomes = run(("a", "passed"), ("b", "failed"), ("c", "passed"), ("d", "error"))
    ending = PatchEnding(["a", "b"], ["c", "d"], outcomes)
    assert both(ending) == (0, 0.25)
    assert exact(ending).parts == {"fail_to_pass": 0.5, "pass_to_pass": 0.5}
    assert exact(ending).notes == ("not mended: b (failed)", "broken: d (error)")
    assert not exact(ending).success


@pytest.mark.parametrize(
    ("status", "mended", "kept"),
    [
        ("passed", (1, 1), (1, 1)),
        ("xfailed", (1, 1), (1, 1)),
        ("skipped", (0, 0), (1, 0)),
        ("xpassed", (0, 0), (0, 0)),
        ("failed", (0, 0), (0, 0)),
        ("error", (0, 0), (0, 0)),
    ],
)
def test_what_counts_as_passed(status: CaseStatus, mended: tuple[float, float], kept: tuple[float, float]) -> None:
    """By SWE-bench a skipped test goes on passing, by `exact` it does not; to neither is it mended."""
    assert both(PatchEnding(["a"], [], run(("a", status)))) == mended
    assert both(PatchEnding(["a"], ["b"], run(("a", "passed"), ("b", status)))) == kept


def test_a_test_that_did_not_end_did_not_pass() -> None:
    ending = PatchEnding(["a"], ["b"], run(("a", "passed")))
    assert both(ending) == (0, 0)
    assert exact(ending).notes == ("broken: b (no such test was run)",)
    cut = replace(ending, run=replace(ending.run or SuiteRun(), notes=("the tests did not end within 3 s",)))
    assert exact(cut).notes[-1] == "broken: b (did not end)"


def test_a_test_that_passes_without_a_patch_is_none_to_be_mended() -> None:
    """Else a change of no use would earn its share; who breaks it has broken something."""
    ending = PatchEnding(["a", "b"], ["c"], run(("a", "failed"), ("b", "passed"), ("c", "passed")))
    assert exact(ending).value == 0.5
    seen = replace(ending, passing_before=("b",))
    assert exact(seen).value == 0
    assert exact(seen).notes == ("passing without a fix: b", "not mended: a (failed)")
    broken = replace(seen, run=run(("a", "passed"), ("b", "failed"), ("c", "passed")))
    assert (exact(broken).value, exact(broken).success) == (0.5, False)


def test_of_several_tests_with_one_name_the_last_counts_or_the_worst() -> None:
    outcomes = run(("t.py::test_a[x y]", "failed"), ("t.py::test_a[x z]", "passed"))
    assert both(PatchEnding(["t.py::test_a[x"], [], outcomes)) == (1, 0)


def test_bare_names_are_known() -> None:
    outcomes = run(("sympy/tests/test_sums.py::test_sum", "passed"))
    assert both(PatchEnding(["test_sum"], [], outcomes)) == (1, 1)


def test_without_a_change_nothing_is_earned_even_where_no_test_is_named() -> None:
    for tests in (["a"], []):
        assert both(PatchEnding(tests, [], None)) == (0, 0)
    score = exact(PatchEnding(["a"], [], None, left_out=("link", "pipe")))
    assert score.notes == ("nothing that counts was changed", "left out: link, pipe")


def test_long_lists_are_cut() -> None:
    ending = PatchEnding([f"t{number}" for number in range(7)], [], run())
    assert exact(ending).notes[0].endswith("t4 (no such test was run) and 2 more")
