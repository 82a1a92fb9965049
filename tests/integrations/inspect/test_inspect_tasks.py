"""Our data sets as Inspect's tasks: the gold earns 1 everywhere, handing in nothing 0."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import Model
from mock_models import call, gold_player, model, submitter

from intercode import datasets
from intercode.agents.human import HumanAgent
from intercode.env.env import Env
from intercode.errors import UserError
from intercode.integrations.inspect import episodes, plugins, solvers, tasks
from intercode.integrations.inspect.names import qualify
from intercode.types import Action, Turn

SETS = ("bash", "sql", "python", "ctf", "swe")
OPTIONS = {"sql": {"database": "sqlite"}}


def play(task: Task, player: Model, folder: Path, **options: object) -> EvalLog:
    """Evaluate the first two samples."""
    [log] = inspect_eval(task, model=player, limit=2, display="none", log_dir=str(folder), **options)  # type: ignore[arg-type]
    assert episodes._episodes == {}
    return log


def values(log: EvalLog) -> list[dict[str, object]]:
    """The scores of each sample by scoring."""
    assert log.status == "success", log.error
    return [
        {name.rpartition("/")[2]: score.value for name, score in (sample.scores or {}).items()}
        for sample in log.samples or []
    ]


@pytest.mark.parametrize("world", SETS)
def test_a_model_that_plays_the_gold_earns_one(world: str, tmp_path: Path) -> None:
    found = values(play(getattr(tasks, world)(**OPTIONS.get(world, {})), gold_player(), tmp_path))
    assert [each["exact"] for each in found] == [1.0, 1.0]


@pytest.mark.parametrize("world", SETS)
def test_a_model_that_only_submits_earns_nothing(world: str, tmp_path: Path) -> None:
    found = values(play(getattr(tasks, world)(**OPTIONS.get(world, {})), submitter(), tmp_path))
    assert [each["exact"] for each in found] == [0.0, 0.0]


def test_both_scorings_are_given_and_no_gold_is_in_the_log(tmp_path: Path) -> None:
    log = play(tasks.bash(), submitter(), tmp_path)
    assert all(set(each) == {"exact", "paper"} for each in values(log))
    golds = {task.gold for task in datasets.load("starter")}
    assert all(sample.target in ("", []) for sample in log.samples or [])
    assert not any(gold and gold in log.model_dump_json() for gold in golds)


def test_actions_after_the_last_turn_are_not_run(tmp_path: Path) -> None:
    """The episode is judged as it stands."""

    def write(messages: list[object]) -> object:
        said = [message for message in messages if message.role == "tool"]  # type: ignore[attr-defined]
        return call("submit", answer="") if len(said) > 1 else call("run_command", command="touch /tmp/made; echo ran")

    log = play(tasks.bash(turns=1), model(write), tmp_path)  # type: ignore[arg-type]
    said = [message.text for message in (log.samples or [])[0].messages if message.role == "tool"]
    assert said[0].startswith("ran")
    assert "over (truncated)" in said[1]


def test_what_the_time_limit_of_a_sample_cuts_short_has_ended_when_it_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy: set[Env] = set()
    ended: list[str] = []
    usual = Env.take_action

    def take_action(env: Env, action: Action, **options: Any) -> Turn:
        assert env not in busy, f"{action} while another goes on"
        busy.add(env)
        try:
            return usual(env, action, **options)
        finally:
            busy.remove(env)
            ended.append(action.kind)

    monkeypatch.setattr(Env, "take_action", take_action)
    task = tasks.bash()
    task.time_limit = 4
    log = play(task, model(lambda messages: call("run_command", command="sleep 8")), tmp_path)
    assert [each["exact"] for each in values(log)] == [0.0, 0.0]
    assert [sample.limit.type for sample in log.samples or [] if sample.limit] == ["time", "time"]
    assert sorted(ended) == ["execute", "execute", "submit", "submit"]


def test_a_person_can_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    golds = iter(task.gold for task in datasets.load("starter"))
    moves = iter(move for gold in golds for move in (gold, "submit"))
    monkeypatch.setattr(HumanAgent, "ask", staticmethod(lambda prompt: next(moves)))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    log = play(tasks.bash(), submitter(), tmp_path, solver=solvers.human(), max_samples=1)
    assert [each["exact"] for each in values(log)] == [1.0, 1.0]
    assert "submit to hand in" in capsys.readouterr().out


def test_a_data_set_of_another_world_is_refused() -> None:
    with pytest.raises(UserError, match="play it by the task intercode/sql"):
        tasks.bash(dataset="starter-sql")


def test_all_is_found_under_our_name() -> None:
    assert plugins.tasks is tasks
    assert qualify("bash").rpartition("/")[2] == "bash"
    from inspect_ai._util.registry import registry_lookup

    names = {"task": [*SETS], "scorer": ["exact", "paper"], "solver": ["human"]}
    for kind, each in names.items():
        assert all(registry_lookup(kind, f"intercode/{name}") for name in each)  # type: ignore[arg-type]


def test_the_page_that_users_read_first_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its program runs here, since Inspect warns of things of its own, which is an error for other pages."""
    page = Path(__file__).parents[3] / "docs" / "how-to" / "inspect.md"
    [program] = re.findall(r"^<!-- norun -->\n```python\n(from .*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(program, str(page), "exec"), {})
