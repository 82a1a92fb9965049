"""Certificates of generated Bash tasks."""

from __future__ import annotations

from intercode.runs.settings import Settings
from intercode_generate.certify.run import certify


def test_generated_tasks_are_certified() -> None:
    found = certify(Settings("generated-bash", {"count": 6, "seed": 11}), parallel=2)
    assert found.share == 1
    assert all(each.second_golds == 1 and each.near_misses >= 2 and each.attempts > 50 for each in found.verdicts)
