"""The quick way to certify says what the slow one says."""

from __future__ import annotations

import pytest

from intercode.runs.certify.check import TaskCertifier
from intercode.runs.certify.run import adversaries_of, certify
from intercode.runs.certify.verdict import kind_of
from intercode.runs.hackcheck.check import HackCheck
from intercode.runs.job import prepare
from intercode.runs.settings import Settings


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["generated-bash", "starter"])
def test_both_ways_reach_the_same_verdicts(dataset: str) -> None:
    """The tasks of one file system, played as episodes and as shared endings."""
    options = {"count": 8, "seed": 4} if dataset == "generated-bash" else {}
    settings = Settings(dataset, options, scoring="exact", limit=8)
    quick = certify(settings, parallel=2).verdicts
    with prepare(settings) as job, prepare(settings) as elsewhere:
        check = HackCheck(job, elsewhere, adversaries_of("bash"), parallel=2, reads_source=False)
        slow = TaskCertifier(check).run()
    assert [each.is_certified for each in quick] == [each.is_certified for each in slow]
    assert [kind_of(each) for each in quick if not each.is_certified] == [
        kind_of(each) for each in slow if not each.is_certified
    ]
    assert [each.near_misses for each in quick] == [each.near_misses for each in slow]
    assert [each.survivors for each in quick] == [each.survivors for each in slow]


def test_generated_tasks_are_certified() -> None:
    found = certify(Settings("generated-bash", {"count": 6, "seed": 11}), parallel=2)
    assert found.share == 1
    assert all(each.second_golds == 1 and each.near_misses >= 2 and each.attempts > 50 for each in found.verdicts)
