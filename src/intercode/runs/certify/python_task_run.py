"""One Python task, certified: its golds, near misses and adversaries, judged where attempts share a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from intercode.envs.python import PythonEnv
from intercode.envs.python.test_judge import ResultChecker, Submission, SubmissionAnswer, TestJudge
from intercode.rewards.python.hidden_tests import HiddenTests, hidden_tests
from intercode.rewards.python.unit_tests import TestResult, exact
from intercode.runs.certify.attempt_session import AttemptSession
from intercode.runs.certify.endings import commands, send
from intercode.runs.certify.known_actions import actions_of
from intercode.runs.certify.materials import Materials
from intercode.runs.certify.python_foresight import PythonForesight, is_equality
from intercode.runs.certify.task_run import Attack, verdict_of
from intercode.runs.certify.verdict import TaskVerdict
from intercode.runs.hackcheck.adversary import Adversary, Moves
from intercode.runs.hackcheck.check import SHARE
from intercode.runs.runner import seed_of
from intercode.sandboxes.base import Limits
from intercode.types import Observation, Score, Task


def in_one(task: Task) -> HiddenTests:
    """All tests of *task* as a single one, which passes where they all do: one process asks for all values."""
    return hidden_tests(replace(task, extra={**task.extra, "tests": ["\n".join(task.extra["tests"])]}))


@dataclass(frozen=True)
class PythonPlace:
    """An environment, and sessions of its sandbox that tasks share; one thread's.

    Attributes:
        session: Where attempts are judged.
        bare: The same for adversaries who *leave* something behind. No other attempt gets such a session then.
        shown: What texts have shown that were the first actions of an episode: that depends on no task.
    """

    env: PythonEnv
    session: AttemptSession = field(default_factory=AttemptSession)
    bare: AttemptSession = field(default_factory=lambda: AttemptSession((), is_shared=False))
    leave: set[str] = field(default_factory=set)
    shown: dict[str, Observation] = field(default_factory=dict)

    def close(self) -> None:
        """End the sessions."""
        self.session.close()
        self.bare.close()


@dataclass(frozen=True)
class PythonTaskRun:
    """One task, played in *here* and *there*. *turn*: which part of the generic attempts is its; None for all."""

    here: PythonPlace
    there: PythonPlace
    task: Task
    adversaries: Sequence[Adversary]
    turn: int | None
    moved: Callable[[], None]
    foresees: bool
    passed: set[tuple[HiddenTests, tuple[SubmissionAnswer, ...]]] = field(default_factory=set)
    """Tests, and what was answered where they passed, if that depends on nothing else."""

    def verdict(self) -> TaskVerdict:
        """All that a certificate says of it."""
        task, materials = self.task, Materials.of(self.task)
        reasons = list(self._gold_reasons())
        for text in materials.second_golds:
            score = self._judge_gold(self.here, self._alone(text), apart=True)
            if not score.success:
                reasons.append(f"second gold: it scores {score.value:.2f}: {'; '.join(score.notes)}")
        batch = in_one(task)
        survivors = [text for text in materials.near_misses if self._passes(text)]
        if not materials.mutated:
            reasons += [f"near miss: {text[:80]!r} scores 1" for text in survivors]
        foresight = self._foresight(batch) if self.foresees else None
        attacks = [self._attack(adversary, batch, foresight) for adversary in self.adversaries]
        reasons += [reason for each in attacks for reason in each.reasons]
        if not exact(self._results(self._alone(task.gold or ""), hidden_tests(task))).success:
            reasons.append("gold: it fails where attempts have been judged before")
        return verdict_of(task, materials, reasons, survivors, attacks)

    def _foresight(self, batch: HiddenTests) -> PythonForesight:
        """Where the tests bring code of their own, it is tried whether an action that does nothing fails."""
        tests = hidden_tests(self.task)
        idle_fails = bool(tests.setup) and not exact(self._results(self._alone("pass"), batch)).success
        return PythonForesight.of(tests, idle_fails=idle_fails)

    def _gold_reasons(self) -> Iterator[str]:
        """Twice in one sandbox, and once in another."""
        gold = self.task.gold or ""
        played = self._submission(self.here.env, commands(gold))
        scores = {
            "gold": self._judge_gold(self.here, played, apart=True),
            "gold again": self._judge_gold(self.here, self._alone(gold)),
            "gold elsewhere": self._judge_gold(self.there, self._alone(gold)),
        }
        for name, score in scores.items():
            if not score.success:
                yield f"gold: {name} scores {score.value:.2f}: {'; '.join(score.notes)}"

    def _judge_gold(self, place: PythonPlace, submission: Submission, *, apart: bool = False) -> Score:
        """What a gold is worth in the session that it shares; if that is too little, in one of its own.

        *apart*: each test has a fork of its own, as where the environment judges.
        """
        tests = hidden_tests(self.task)
        score = exact(self._results(submission, tests, place, apart=apart))
        return score if score.success else exact(self._results_apart(place, submission, tests))

    def _passes(self, text: str) -> bool:
        """Whether *text* scores 1 where the environment judges: each test has a process of its own there.

        The first test of all is asked in a process in which no other was; another one that fails is asked again so.
        """
        submission, tests = self._alone(text), hidden_tests(self.task)
        results = self._results(submission, tests)
        failed = next((number for number, result in enumerate(results) if not result.passed), None)
        if failed == 0:
            return False
        if failed is not None:
            again = self._results(submission, replace(tests, tests=(tests.tests[failed],)))
            if not exact(again).success:
                return False
        return exact(self._results(submission, tests, apart=True)).success

    def _attack(self, adversary: Adversary, batch: HiddenTests, foresight: PythonForesight | None) -> Attack:
        """All its attempts, up to the first that is paid.

        A guess that is one of many is asked for success only, so nothing is known of its parts.
        """
        attempts = list(adversary.attempts(self.task.view()))
        if adversary.is_generic and self.turn is not None:
            attempts = [each for at, each in enumerate(attempts) if at == 0 or at % SHARE == self.turn]
        tests = batch if adversary.guesses and len(attempts) > 1 else hidden_tests(self.task)
        most, ruled_out = 0.0, 0
        for attempt in attempts:
            submission, idle = self._known(attempt) or self._seen(attempt) or self._played(attempt)
            if adversary.guesses and foresight and foresight.rules_out(submission, idle):
                ruled_out += 1
                continue
            score = exact(self._results(submission, tests, adversary=adversary.name))
            most = max(most, score.value)
            if score.success or (score.value > 0 and not adversary.guesses):
                paid = f"adversary: {adversary.name} is paid {score.value:.2f} ({attempt.about})"
                return Attack(len(attempts), ruled_out, most, (paid,))
        return Attack(len(attempts), ruled_out, most)

    def _known(self, attempt: Adversary, *shown: Observation) -> tuple[Submission, Sequence[str]] | None:
        """What *attempt* hands in, and which of its actions define nothing, as far as it is known.

        None where what it hands in depends on what its actions show, but for what is *shown* already.
        """
        found = actions_of(attempt.moves(self.task.view()), *shown)
        if found is None:
            return None
        texts, given = found
        seconds = (self.here.env.limits or Limits()).seconds
        submission = Submission.of_function([(text, seconds) for text in texts], given, seconds)
        is_idle = not attempt.effect.defines and (bool(submission.name) or not shown)
        return submission, texts if is_idle else ()

    def _seen(self, attempt: Adversary) -> tuple[Submission, Sequence[str]] | None:
        """The same where it depends on what the first action shows, which may have been asked for before."""
        text, shown = next(attempt.moves(self.task.view())).text, self.here.shown
        if text not in shown:
            shown[text] = self._first(text)
        return self._known(attempt, shown[text])

    def _first(self, text: str) -> Observation:
        env = self.here.env
        judge = self._judge_of(self.here)
        shown = self.here.session.show(judge, text) if judge.limits == env.limits else None
        if shown is not None:
            return shown
        env.start_episode(self.task, seed=seed_of(0, self.task.id, 0))
        try:
            return env.execute(text)
        finally:
            env.end_episode()

    def _played(self, attempt: Adversary) -> tuple[Submission, Sequence[str]]:
        """The same, once its actions were seen. Without a name it may have handed in code that is no action."""
        submission = self._submission(self.here.env, attempt.moves(self.task.view()))
        is_idle = bool(submission.name) and not attempt.effect.defines
        return submission, [text for text, _ in submission.script] if is_idle else ()

    def _results_apart(self, place: PythonPlace, submission: Submission, tests: HiddenTests) -> Sequence[TestResult]:
        """What becomes of the *tests* of *submission*, judged in a session of its own."""
        self.moved()
        judge = self._judge_of(place)
        with judge.run_submission(submission, tests.before) as process:
            return judge.judge(tests, process)

    def _results(
        self,
        submission: Submission,
        tests: HiddenTests,
        place: PythonPlace | None = None,
        *,
        adversary: str = "",
        apart: bool = False,
    ) -> Sequence[TestResult]:
        """What becomes of the *tests* in a session that attempts share; of none where nothing is handed in.

        The session may be that of an *adversary*. *apart*: each test has a fork of its own.
        """
        place = place or self.here
        if not (submission.script or submission.program):
            self.moved()
            return ()
        judge = self._judge_of(place)
        session = place.bare if adversary in place.leave else place.session
        answers = session.answers(judge, submission, tests, apart=apart)
        if adversary and not session.is_open:
            place.leave.add(adversary)
        if answers is None:
            return self._results_apart(place, submission, tests)
        self.moved()
        return self._check(judge, tests, answers)

    def _check(self, judge: TestJudge, tests: HiddenTests, answers: Sequence[SubmissionAnswer]) -> Sequence[TestResult]:
        """The results; not asked for again where all tests were passed by the same values."""
        key = tests, tuple(answers)
        if key in self.passed:
            return [TestResult(True)] * len(answers)
        results = ResultChecker.of(judge.sandbox).check(judge, tests, answers)
        if all(result.passed for result in results) and all(is_equality(test.check) for test in tests.tests):
            self.passed.add(key)
        return results

    def _judge_of(self, place: PythonPlace) -> TestJudge:
        """In this *place*, with the image and the limits of *here*, in which an episode has begun before."""
        here = self.here.env
        return TestJudge(place.env.sandbox, here.image, here.limits and here.limits.offline())

    def _alone(self, text: str) -> Submission:
        """*text* as the only action, handed in by a bare `submit`: what it shows is of no interest."""
        return Submission(((text, (self.here.env.limits or Limits()).seconds),))

    def _submission(self, env: PythonEnv, moves: Moves) -> Submission:
        """What *moves* hand in at the end of an episode of their own."""
        env.start_episode(self.task, seed=seed_of(0, self.task.id, 0))
        try:
            action = next(moves, None)
            while action is not None and action.kind == "execute":
                action = send(moves, env.execute(action.text))
            return env.submission(action.text if action is not None else "")
        finally:
            env.end_episode()
