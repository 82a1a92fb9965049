"""hackcheck of environments in the form of verifiers 0.1, which most of those that are published have."""

from __future__ import annotations

from pathlib import Path

from intercode.audit.hackcheck.adversaries import among
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.targets.peers import kinds
from intercode.audit.hackcheck.targets.peers.target import PeerTarget

BANK = Path(__file__).with_name("classic_bank.py")

NAMES = ("submits-at-once", "does-nothing", "refuses", "says-every-answer")
"""Two that say nothing at all, and one or two for each class of hole."""


def check(names: tuple[str, ...] = NAMES) -> HackcheckReport:
    peer = kinds.find(str(BANK))
    assert peer is not None
    with PeerTarget(peer).open(lambda message: None) as target:
        chosen = among(target.adversaries, names, "classic")
        hackcheck = HackCheck(target.job, target.elsewhere, chosen, explains=True, every_guess=True)
        return HackcheckReport(hackcheck.run(), chosen, "exact", len(target.job.tasks))


def test_holes_are_found_and_a_sound_row_pays_its_answer_and_nobody_else() -> None:
    report = check()
    substring, anything, sound = report.checks
    assert {hole.kind.name for hole in substring.holes} == {"substring"}
    assert {hole.kind.name for hole in anything.holes} == {"never-compares"}
    assert (sound.holes, [each.succeeds("exact") for each in sound.gold]) == ((), [True] * 3)


def test_who_says_nothing_is_judged_as_any_other_and_the_reward_has_not_failed() -> None:
    """verifiers 0.1 takes a reply without any text for a model that has failed."""
    report = check(("submits-at-once", "does-nothing"))
    assert [check.reward_failures for check in report.checks] == [(), (), ()]
    assert [{each.scores is not None for each in check.adversaries} for check in report.checks] == [{True}] * 3
