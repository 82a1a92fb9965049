"""A task of one's own played: at gymnasium, with a reward and a world of its own."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from intercode.cli.new import HERE, template_of
from intercode.env.custom import make
from intercode.errors import BadDataError, RewardError, UserError
from intercode.testing.env import EnvContract, MakeEnv
from intercode.types import Action, Score, Turn
from intercode_sandbox.sandbox import Sandbox

MENU = Path(__file__).parents[2] / "examples/menu_world.py"


@pytest.fixture
def pantry(tmp_path: Path) -> Path:
    return Path(shutil.copytree(template_of("bash"), tmp_path / "pantry"))


class TestAwkWorld(EnvContract):
    """The world in Python that `intercode new --world custom` begins with keeps the whole contract."""

    changing = 'BEGIN { print "x" > "/data/contract-made" }'
    harmless = "BEGIN {}"
    background = 'BEGIN {{ system("sleep {} >/dev/null 2>&1 &") }}'

    @pytest.fixture
    def make(self, sandbox: Sandbox, tmp_path: Path) -> MakeEnv:
        folder = shutil.copytree(template_of("custom"), tmp_path / "awk")
        return lambda **options: make(str(folder), **{"sandbox": sandbox, **options})


class TestMenuWorld(EnvContract):
    """So does the example that is a whole world in one file."""

    changing = "1d"
    harmless = ""
    background = ""

    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: make(str(MENU), **{"sandbox": sandbox, **options})


def test_a_world_of_ones_own_is_short() -> None:
    assert len((HERE / "custom" / "world.py").read_text().splitlines()) <= 60


def test_gymnasium_makes_it_from_its_folder(pantry: Path) -> None:
    with gymnasium.make("intercode/Own-v1", world=str(pantry), render_mode="ansi") as env:
        check_env(env.unwrapped)
        assert env.unwrapped.limits.processes == 64  # type: ignore[attr-defined]


def test_what_is_no_folder_of_that_kind_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no task.toml \(intercode new .*nowhere makes one\)"):
        make(str(tmp_path / "nowhere"))


def test_its_own_reward_sees_what_the_agent_left_and_judges_instead(pantry: Path, sandbox: Sandbox) -> None:
    (pantry / "reward.py").write_text(
        "def reward(ending):\n"
        "    assert ending.scores['exact'].value == 0\n"
        "    assert [change.path for change in ending.changes] == ['/pantry/note.txt']\n"
        "    assert (ending.answer, ending.handed_in) == ('said\\n', 'and handed in')\n"
        "    return ending.read('/pantry/note.txt') == b'done\\n'\n"
    )
    with make(str(pantry), sandbox=sandbox) as env:
        env.start_episode(env.dataset[0])
        env.take_action(Action("execute", "echo done > /pantry/note.txt; echo said"))
        turn = env.take_action(Action("submit", "and handed in"))
    assert turn.reward == 1
    assert turn.scores is not None
    assert turn.scores["exact"].success


def test_with_its_own_reward_a_task_needs_no_gold(pantry: Path, sandbox: Sandbox) -> None:
    (pantry / "tasks.jsonl").write_text('{"query": "Say hi."}\n')
    (pantry / "reward.py").write_text("def reward(ending): return ending.answer == 'hi\\n' and ending.scores is None\n")
    with make(str(pantry), sandbox=sandbox) as env:
        env.start_episode(env.dataset[0])
        env.take_action(Action("execute", "echo hi"))
        assert env.take_action(Action("submit")).reward == 1


def test_a_mistake_in_a_reward_is_not_hidden(pantry: Path, sandbox: Sandbox) -> None:
    (pantry / "reward.py").write_text("def reward(ending): return ending.nothing_of_that_name\n")
    with make(str(pantry), sandbox=sandbox) as env:
        env.start_episode(env.dataset[0])
        with pytest.raises(RewardError, match=r"reward.py, line 1, in reward: AttributeError: .*nothing_of_that_name"):
            env.take_action(Action("submit"))


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "expected one class whose name ends in Env; there are 0"), (None, "there is no such Python file")],
)
def test_a_world_in_a_file_must_be_there(tmp_path: Path, text: str | None, message: str) -> None:
    folder = Path(shutil.copytree(template_of("custom"), tmp_path / "awk"))
    (folder / "world.py").unlink() if text is None else (folder / "world.py").write_text(text)
    with pytest.raises(BadDataError, match=message):
        make(str(folder))


GIVES_SCORE = 'return Score(float(right), right, notes=() if right else ("the output differs from the gold\'s",))'

GIVES_OBSERVATION = (
    "return Observation(result.text, result.exit_code, result.timed_out, result.truncated, result.seconds)"
)


def own_world(folder: Path, value: str, given: str = GIVES_SCORE) -> str:
    """The world that `intercode new --world custom` begins with; where it has *given*, it gives *value* (with `np`)."""
    found = Path(shutil.copytree(template_of("custom"), folder / "awk"))
    text = (found / "world.py").read_text().replace("import json\n", "import json\nimport numpy as np\n")
    assert given in text
    (found / "world.py").write_text(text.replace(given, f"return {value}"))
    return str(found)


def ended(folder: str, sandbox: Sandbox) -> Turn:
    with make(folder, sandbox=sandbox) as env:
        env.start_episode(env.dataset[0])
        env.take_action(Action("submit"))
    return env.history[-1]


def test_its_scores_may_be_made_of_numpys_numbers(tmp_path: Path, sandbox: Sandbox) -> None:
    mixed = 'Score(np.float32(0.5), np.bool_(False), {"near": np.float64(0.25), "tries": np.int64(3)}, ["so far"])'
    turn = ended(own_world(tmp_path, mixed), sandbox)
    plain = Score(0.5, False, {"near": 0.25, "tries": 3.0}, ("so far",))
    assert turn.scores == {"exact": plain}
    assert json.loads(json.dumps(turn.as_dict()))["scores"]["exact"] == plain.as_dict() | {"notes": ["so far"]}


def test_what_it_does_to_a_score_later_is_not_recorded(tmp_path: Path, sandbox: Sandbox) -> None:
    folder = own_world(tmp_path, "Score(0.5, False, PARTS)")
    world = Path(folder) / "world.py"
    world.write_text(world.read_text() + "\n\nPARTS = {'near': 0.25}\n")
    with make(folder, sandbox=sandbox) as env:
        env.start_episode(env.dataset[0])
        scores = env.take_action(Action("submit")).scores
        sys.modules[type(env).__module__].PARTS["near"] = 0.5
    assert scores is not None
    assert scores["exact"].parts == {"near": 0.25}


@pytest.mark.parametrize(
    "score",
    [
        "1.0",
        "None",
        '{"exact": Score(1.0, True)}',
        "Score(np.nan, True)",
        'Score(1.0, True, {"near": np.nan})',
        'Score(1.0, True, {"near": np.zeros(2)})',
        "Score(1.0, True, notes=(np.float64(1),))",
    ],
)
def test_scores_that_no_record_can_hold_are_refused(score: str, tmp_path: Path, sandbox: Sandbox) -> None:
    with pytest.raises(RewardError, match=r"the world's reward exact gave .*: expected a Score"):
        ended(own_world(tmp_path, score), sandbox)


def test_its_observations_may_be_made_of_numpys_numbers(tmp_path: Path, sandbox: Sandbox) -> None:
    mixed = "Observation(np.str_('é'), np.int64(3), np.bool_(True), False, np.float32(0.5))"
    with make(own_world(tmp_path, mixed, GIVES_OBSERVATION), sandbox=sandbox) as env:
        env.start_episode(env.dataset[0])
        seen = env.take_action(Action("execute", "{ print }")).observation
    assert json.loads(json.dumps(seen.as_dict())) == {
        "text": "é", "exit_code": 3, "timed_out": True, "truncated": False, "seconds": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    "observation",
    [
        "None",
        "result.text",
        "Observation(result.output)",
        "Observation('', '0')",
        "Observation('', seconds=np.nan)",
        "Observation('', seconds=np.zeros(2))",
        "Observation('', timed_out=np.zeros(2))",
    ],
)
def test_observations_that_no_record_can_hold_are_refused(observation: str, tmp_path: Path, sandbox: Sandbox) -> None:
    with make(own_world(tmp_path, observation, GIVES_OBSERVATION), sandbox=sandbox) as env:
        env.start_episode(env.dataset[0])
        with pytest.raises(
            BadDataError, match=r"^awk/0: the world's execute\(\) gave .*: expected an Observation with"
        ):
            env.take_action(Action("execute", "{ print }"))
