"""The Bash world beyond the contract: shells, both scorings, what is judged and when."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from env.tiny import TASKS, TinyDataset
from intercode.errors import UnknownNameError, UserError
from intercode.types import Action, Criteria, Score, Task
from intercode.worlds.bash import BashEnv
from intercode_sandbox.sandbox import Limits, Sandbox
from intercode_sandbox.scripted import ScriptedSandbox
from intercode_sandbox.testing.fixtures import becomes_true

Make = Callable[..., BashEnv]


@pytest.fixture
def make(sandbox: Sandbox) -> Iterator[Make]:
    made: list[BashEnv] = []

    def make(dataset: TinyDataset | None = None, **options: Any) -> BashEnv:
        made.append(BashEnv(dataset or TinyDataset(), **{"sandbox": sandbox, **options}))
        return made[-1]

    yield make
    for env in made:
        env.close()


def play(env: BashEnv, task: int, *actions: str) -> tuple[float, dict[str, Any]]:
    """The reward and the info after the last of *actions*."""
    env.reset(options={"task": task})
    _, reward, _, _, info = [env.step(action) for action in actions][-1]
    return reward, info


LATER = "(until [ -e /go ]; do sleep 0.05; done; rm -r /go /shop/deep) >/dev/null 2>&1 &"
"""Does a task's work in the background once it is told to."""


class TestJudging:
    @pytest.mark.parametrize("task", range(len(TASKS)))
    def test_both_scores_are_there_whichever_leads(self, make: Make, task: int) -> None:
        for scoring in ("paper", "exact"):
            reward, info = play(make(TinyDataset(scoring)), task, TASKS[task][1], "submit")
            assert reward == info["scores"][scoring].value == 1.0
            assert info["scores"]["exact"].success

    def test_what_agents_did_before_counts(self, make: Make) -> None:
        """The state is the sum of all actions; the answer is the last one's."""
        reward, _ = play(make(), 3, "cd /shop", "sort -r a.txt > tmp", "cp tmp a.txt && rm tmp", "submit")
        assert reward == 1.0
        reward, _ = play(make(), 0, "wc -l < /shop/a.txt", "echo something else", "submit")
        assert reward < 1.0

    @pytest.mark.parametrize("lost", [False, True])
    def test_what_is_lost_in_folders_made_anew_counts(self, make: Make, lost: bool) -> None:
        """A folder in a new folder is new, too: nothing of the image shows through."""
        anew = "mv /shop /was; mkdir -p /shop/deep; cp -a /was/*.txt /shop; cp -a /was/deep/* /shop/deep; rm -r /was"
        reward, _ = play(make(), 0, anew + "; rm /shop/deep/c.txt" * lost, "wc -l < /shop/a.txt", "submit")
        assert (reward == 1.0) is not lost

    def test_lines_may_come_in_any_order_where_the_golds_follow_the_directory(self, make: Make) -> None:
        assert play(make(), 2, "cat /shop/*.txt /shop/deep/c.txt | sort -r", "submit")[0] == 1.0

    def test_the_start_is_the_twins_start(self, make: Make) -> None:
        """Files without a time of their own have the same in the gold's run, whenever that is."""
        env = make()
        env.start_episode(env.dataset[4], started_at=1_500_000_000.0)
        env.step("echo 1500000000")
        assert env.step("submit")[1] == 1.0

    def test_nothing_runs_on_while_the_ending_is_judged(self, make: Make) -> None:
        """What is still at work at the end is killed first, and does its work no more."""
        for ending, turns in (("submit", 10), ("true", 2)):
            env = make(turns=turns)
            play(env, 1, LATER, ending)
            env.current_session.write("/go", b"")
            time.sleep(0.5)
            assert [change.path for change in env.current_session.changes()] == ["/go"]

    def test_what_works_in_the_background_goes_on_between_turns(self, make: Make) -> None:
        """Also where every turn is judged."""
        env = make(reward_every_turn=True)
        play(env, 1, LATER, "true")
        env.current_session.write("/go", b"")
        assert becomes_true(lambda: env.current_session.run(["/bin/ls", "/shop/deep"]).exit_code != 0, 30)
        assert env.step("true")[1] == 1.0

    def test_a_task_without_a_gold_is_played_and_not_judged(self, make: Make) -> None:
        env = make(TinyDataset(tasks=(("Do as you like.", None),)))
        env.reset()
        assert env.judge() is None
        _, reward, terminated, _, info = env.step("submit")
        assert (reward, terminated, "scores" in info) == (0.0, True, False)

    def test_git_is_asked_itself_where_the_agent_meddled_with_it(self, make: Make) -> None:
        """As the published benchmark is: a nested repository hides what is in it, and git is gone with its program."""
        env = make(TinyDataset("paper", tasks=(("Make a file.", "touch /shop/made"),)))
        assert play(env, 0, "touch /shop/made", "submit")[0] == 1.0
        meddled = "git init -q /; git -C / add -A /shop >/dev/null 2>&1; touch /shop/made"
        assert play(env, 0, meddled, "submit")[0] < 1.0

    def test_odd_names_do_no_harm(self, make: Make) -> None:
        """Blanks, quotes, line breaks, bytes that are not UTF-8, a folder with a dot, a FIFO, a link to nowhere."""
        mess = "cd /shop; touch 'a b' $'c\\nd.x' '\"' $'\\xff.x' é.x; mkdir f.d; mkfifo p.x; ln -s no l.x; ln -s / r.x"
        for scoring in ("paper", "exact"):
            reward, info = play(make(scoring=scoring), 1, mess, "submit")
            assert reward < 1.0
            assert set(info["scores"]) == {"paper", "exact"}


class TestShells:
    def test_the_fresh_shell_keeps_the_directory_and_no_variables(self, make: Make) -> None:
        env = make()
        play(env, 0, "cd /shop; x=5")
        assert env.step("pwd; echo [$x]")[0] == "/shop\n[]\n"
        assert env.cwd == "/shop"

    def test_the_persistent_shell_keeps_both(self, make: Make) -> None:
        env = make(shell="persistent")
        play(env, 0, "cd /shop; x=5")
        assert env.step("pwd; echo [$x]")[0] == "/shop\n[5]\n"

    def test_paper_scoring_runs_commands_as_published(self, make: Make) -> None:
        env = make(scoring="paper")
        play(env, 0, "true; cd /shop")
        assert env.step('pwd; echo "a  b"')[0] == "/\na\n"

    def test_episodes_begin_with_a_new_shell(self, make: Make) -> None:
        for options in ({}, {"shell": "persistent"}, {"scoring": "paper"}):
            env = make(**options)
            play(env, 0, "cd /shop")
            play(env, 0, "true")
            assert env.cwd == "/"

    def test_the_directory_is_part_of_the_state(self, make: Make) -> None:
        env = make()
        hashes = [play(env, 0, action)[1]["state_hash"] for action in ("cd /shop", "cd /shop/deep/..", "cd /")]
        assert hashes[0] == hashes[1] != hashes[2]

    def test_what_cannot_be_combined_is_refused(self, make: Make) -> None:
        with pytest.raises(UserError, match="scoring='exact'"):
            make(shell="persistent", scoring="paper")
        with pytest.raises(UserError, match="fresh, persistent"):
            make(shell="fish")


class TestSettings:
    def test_limits_hold(self, make: Make) -> None:
        env = make(limits=Limits(seconds=1.5, output=10))
        _, info = play(env, 0, "sleep 60")
        assert info["observation"].timed_out
        text, *_ = env.step("seq 100")
        assert text == "1\n2\n3\n4\n5\n[282 more bytes left out]"

    def test_names_are_looked_up(self) -> None:
        wrong: list[dict[str, Any]] = [{"dataset": "no-such"}, {"sandbox": "no-such"}, {"image": "no-such"}]
        for options in wrong:
            with pytest.raises(UnknownNameError, match="there are"):
                BashEnv(**{"dataset": TinyDataset(), **options})

    def test_making_one_starts_nothing(self) -> None:
        sandbox = ScriptedSandbox()
        BashEnv(TinyDataset(), sandbox=sandbox).close()
        assert sandbox.sessions == []

    def test_a_data_set_for_another_world_is_refused(self) -> None:
        dataset = TinyDataset()
        dataset.world = "sql"
        with pytest.raises(UserError, match="'sql'"):
            BashEnv(dataset, sandbox=ScriptedSandbox())

    def test_an_empty_data_set_is_refused(self) -> None:
        with pytest.raises(UserError, match="empty"):
            BashEnv(TinyDataset(tasks=()), sandbox=ScriptedSandbox())


class TestWhatATaskWantsJudged:
    """Criteria and further golds, from the data set to the score."""

    def score(self, make: Make, task: Task, *actions: str, scoring: str = "exact") -> Score:
        env = make(scoring=scoring)
        env.start_episode(task)
        for action in actions:
            env.take_action(Action("execute", action))
        scores = env.take_action(Action("submit")).scores
        assert scores is not None
        assert env.task is task, "judging leaves the task alone"
        return scores["exact"]

    @pytest.mark.parametrize("source", ["a.txt", "now.txt"])
    def test_times_of_new_files(self, make: Make, source: str) -> None:
        """Of a file with a time of its own, and of one that has the time of the session's start."""
        gold = f"cp -p /shop/{source} /copy"
        task = Task("tiny/copy", "Copy it, with its time.", gold, criteria=Criteria(file_times=True))
        plain = replace(task, criteria=Criteria())
        assert self.score(make, task, gold).success
        assert self.score(make, task, f"rsync -t /shop/{source} /copy || cp -a /shop/{source} /copy").success
        assert self.score(make, task, f"tar -C /shop -c {source} | tar -x && mv {source} /copy").success
        assert not self.score(make, task, f"cp /shop/{source} /copy").success
        assert self.score(make, plain, f"cp /shop/{source} /copy").success

    @pytest.mark.parametrize("scoring", ["exact", "paper"])
    def test_the_working_directory(self, make: Make, scoring: str) -> None:
        task = Task("tiny/cd", "Go there.", "cd /shop/deep", criteria=Criteria(working_directory=True))
        assert self.score(make, task, "cd /shop/deep", scoring=scoring).success
        assert self.score(make, task, "cd /shop", "cd deep", scoring=scoring).success
        assert not self.score(make, task, "cd /shop", scoring=scoring).success
        assert self.score(make, task, "true", scoring=scoring).value == 0

    def test_members_of_archives(self, make: Make) -> None:
        gold = "tar -czf /all.tgz -C / shop"
        task = Task("tiny/pack", "Pack it.", gold, criteria=Criteria(archive_members=True))
        other = "cd /shop && tar -cf - --transform 's,^[.],shop,' . | gzip -1n > /all.tgz"
        assert self.score(make, task, gold).success
        assert self.score(make, task, other).success
        assert not self.score(make, replace(task, criteria=Criteria()), other).success
        assert not self.score(make, task, "tar -cf /all.tgz -C / shop").success
        assert not self.score(make, task, "tar -czf /all.tgz -C / shop/a.txt").success

    def test_any_of_several_golds(self, make: Make) -> None:
        """The published gold alone decides under `paper`, the best of all under `exact`."""
        task = Task("tiny/say", "Say one or two.", "echo one", alternative_golds=("false", "echo two; touch /two"))
        for said, value in (("echo one", 1.0), ("echo two; touch /two", 1.0), ("echo two", 0.5), ("echo three", 0.0)):
            assert self.score(make, task, said).value == value
        env = make(scoring="paper")
        env.start_episode(task)
        env.take_action(Action("execute", "echo two; touch /two"))
        scores = env.take_action(Action("submit")).scores
        assert scores is not None
        assert (scores["paper"].success, scores["exact"].success) == (False, True)
