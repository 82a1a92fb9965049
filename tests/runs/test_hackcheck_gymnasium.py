"""hackcheck of Gymnasium environments with text actions: which pay for no work, which are sound, and what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import gymnasium_bank as bank
import pytest

from intercode.adversaries.adversary import Adversary, playing
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.summary import to_json
from intercode.audit.hackcheck.targets.peers import kinds
from intercode.audit.hackcheck.targets.peers.right_answers import gives
from intercode.audit.hackcheck.targets.peers.target import PeerTarget
from intercode.errors import UserError
from intercode.types import Action

BANK = Path(bank.__file__)


def check(spec: str, *, limit: int = 1, solution: tuple[str, ...] = (), moves: tuple[str, ...] = ()) -> HackcheckReport:
    peer = kinds.find(spec)
    assert peer is not None
    with PeerTarget(peer, limit=limit, solution=solution).open(lambda message: None) as target:
        actions = [Action.parse(text) for text in moves]
        adversaries = [Adversary("moves", "", playing(actions))] if moves else target.adversaries
        found = HackCheck(target.job, target.elsewhere, adversaries, explains=True, sources=target.sources).run()
        return HackcheckReport(found, adversaries, "exact", len(target.job.tasks))


def of_bank(kind: type[bank.Multiplication]) -> str:
    return f"{BANK}:bank/{kind.__name__}-v0"


@pytest.mark.parametrize("kind", bank.HOLED, ids=lambda kind: kind.__name__)
def test_each_hole_is_found(kind: type[bank.Multiplication]) -> None:
    report = check(of_bank(kind))
    assert report.outcome == "paid"
    assert bank.HOLED[kind] in {hole.kind.name for hole in report.checks[0].holes}


def test_the_moves_that_prove_a_hole_are_paid_again() -> None:
    (hole, *_) = check(of_bank(bank.AskedForReport)).checks[0].holes
    assert check(of_bank(bank.AskedForReport), moves=tuple(map(str, hole.moves))).outcome == "paid"


@pytest.mark.parametrize("kind", bank.SOUND, ids=lambda kind: kind.__name__)
def test_a_sound_environment_pays_its_solution_and_nobody_else(kind: type[bank.Multiplication]) -> None:
    report = check(of_bank(kind), limit=2)
    assert (report.outcome, [each.succeeds("exact") for each in report.checks[0].gold]) == ("sound", [True] * 3)


def test_a_solution_that_earns_nothing_checks_nothing() -> None:
    report = check(of_bank(bank.Multiplication), solution=("no", "number"))
    assert (report.outcome, report.sentence[:20]) == ("unchecked", "nothing was checked:")


def test_an_environment_that_raises_is_a_failure_of_the_reward(tmp_path: Path) -> None:
    (tmp_path / "raising.py").write_text(
        "import gymnasium_bank as bank, gymnasium\n"
        "class Raises(bank.Multiplication):\n"
        "    def judge(self, text): return int(text) == int(self.answer)\n"
        "gymnasium.register('Raises-v0', entry_point=Raises)\n"
    )
    (tmp_path / "gymnasium_bank.py").write_text(BANK.read_text())
    report = check(f"{tmp_path}/raising.py:Raises-v0")
    assert report.outcome == "reward failed"
    said = report.checks[0].reward_failures[0][1]
    assert "invalid literal for int()" in said
    assert f'File "{tmp_path}/' in said
    assert "integrations/peers" not in said, "its own lines are told, and none of ours"


def test_all_places_are_open_before_the_time_of_a_check_begins(tmp_path: Path) -> None:
    """To load a framework takes seconds: where they are the check's, a check of ten seconds a task plays nobody."""
    opened = tmp_path / "opened"
    (tmp_path / "counting.py").write_text(f"{BANK.read_text()}\nopen({str(opened)!r}, 'a').write('x')\n")
    peer = kinds.find(f"{tmp_path}/counting.py:bank/Multiplication-v0")
    assert peer is not None
    with PeerTarget(peer, limit=1).open(lambda message: None) as target:
        before = opened.read_text()
        HackCheck(target.job, target.elsewhere, target.adversaries[:2]).run()
    assert (before, opened.read_text()) == ("xx", "xx")


def test_an_environment_that_cannot_be_begun_is_no_failure_of_the_reward(tmp_path: Path) -> None:
    (tmp_path / "closed.py").write_text(
        "import gymnasium_bank as bank, gymnasium\n"
        "class Closed(bank.Multiplication):\n"
        "    def reset(self, **options): raise OSError('the door is shut')\n"
        "gymnasium.register('Closed-v0', entry_point=Closed, disable_env_checker=True)\n"
    )
    (tmp_path / "gymnasium_bank.py").write_text(BANK.read_text())
    with pytest.raises(UserError, match=r"cannot be opened: .*the door is shut"):
        check(f"{tmp_path}/closed.py:Closed-v0")


def test_where_right_work_could_be_named_and_is_not_nothing_was_checked() -> None:
    report = check(of_bank(bank.Multiplication))
    unknown = [replace(each, gold=()) for each in report.checks]
    assert replace(report, checks=unknown).outcome == "sound"
    said = replace(report, checks=unknown, advice="--solution FILE names it")
    assert (said.outcome, "none is known" in said.sentence) == ("unchecked", True)


def test_scorings_that_nothing_was_judged_under_are_not_told() -> None:
    report = check(of_bank(bank.Multiplication))
    assert report.scorings == ["exact"]
    assert list(to_json(report)["adversaries"]) == ["exact"]


def test_where_no_gold_is_right_the_verdict_says_how_to_name_one() -> None:
    peer = kinds.find(of_bank(bank.Multiplication))
    assert peer is not None
    wrong = replace(check(of_bank(bank.Multiplication), solution=("no",)), advice=PeerTarget(peer).advice)
    assert "--solution FILE" in wrong.sentence
    assert PeerTarget(peer, solution=("4234",)).advice == ""


def test_an_environment_without_texts_and_one_that_is_not_there_are_refused_in_words() -> None:
    with pytest.raises(UserError, match=r"its actions are no texts \(Discrete\)"):
        check("CartPole-v1")
    with pytest.raises(UserError, match=r"gymnasium:Nowhere-v7 cannot be opened: .*Nowhere"):
        check("Nowhere-v7")


def test_names_tell_whose_they_are(tmp_path: Path) -> None:
    (tmp_path / "graded.py").write_text("from inspect_ai import Task\n")
    (tmp_path / "pack" / "mine").mkdir(parents=True)
    (tmp_path / "pack" / "mine" / "__init__.py").write_text("import verifiers as vf\n")
    (tmp_path / "shown" / "mine").mkdir(parents=True)
    (tmp_path / "shown" / "mine" / "__init__.py").write_text("from mine.taskset import Mine\n")
    (tmp_path / "shown" / "mine" / "taskset.py").write_text("import verifiers.v1 as vf\n")
    kind_of = {
        "verifiers:owner/name": "verifiers",
        "inspect:anything": "inspect",
        "inspect_evals/gsm8k": "inspect",
        "tasks.py@sums": "inspect",
        str(tmp_path / "graded.py"): "inspect",
        str(tmp_path / "pack"): "verifiers",
        str(tmp_path / "shown"): "verifiers",
        "CartPole-v1": "gymnasium",
        "bank:space/Name-v0": "gymnasium",
    }
    assert {spec: found.kind for spec in kind_of if (found := kinds.find(spec))} == kind_of
    ours = ("starter", "nl2bash/fs1", "hf:owner/name", "./mine", "tasks.jsonl", str(BANK), "mbpp/test")
    assert [spec for spec in ours if kinds.find(spec) is not None] == []


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    said = kinds.PeerName("verifiers", "mine").explain(f"{kinds.MISSING}verifiers")
    assert said == "verifiers:mine needs the package verifiers in the environment of intercode: pip install verifiers"


@pytest.mark.parametrize(
    ("text", "answers", "is_given"),
    [
        ("42", ["42"], True),
        ("The answer is 42.", ["42"], True),
        ("I think <answer> 1,042.0 </answer> it is", ["1042"], True),
        ("ANSWER: b", ["B"], True),
        (r"so \boxed{x+1}", ["x+1"], True),
        ("41, 42, 43", ["42"], False),
        ("none of these: A, B, C or something else entirely", ["B"], False),
        ("<answer>41</answer><answer>42</answer><answer>43</answer>", ["42"], False),
        ("", ["42"], False),
    ],
)
def test_who_says_the_answer_alone_or_last_gives_it_and_who_says_all_does_not(
    text: str, answers: list[str], is_given: bool
) -> None:
    assert gives(text, answers) is is_given
