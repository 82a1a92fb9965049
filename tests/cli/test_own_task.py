"""`intercode new` and `intercode hackcheck`."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from terminal import intercode

from intercode.cli.new import THERE
from intercode.runs import store


@pytest.mark.parametrize("world", THERE)
def test_what_is_made_runs_as_it_is(world: str, tmp_path: Path) -> None:
    """Made, listed, run by its golds and checked: all by the commands that are printed."""
    done = intercode("new", "mine", "--world", world, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "made mine/task.toml" in done.stdout
    assert "intercode run --world ./mine" in done.stdout
    assert "mine/" in intercode("tasks", "./mine", cwd=tmp_path).stdout
    done = intercode("run", "--world", "./mine", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    episodes = store.read(tmp_path / "run").episodes
    assert len(episodes) >= 3
    assert all(episode.success("exact") for episode in episodes)


def test_what_the_template_says_to_type_in_the_folder_works_there(tmp_path: Path) -> None:
    """Whatever it is called: here with a blank, and like a data set of ours."""
    done = intercode("new", "my task", cwd=tmp_path)
    assert "intercode run --world './my task'" in done.stdout
    assert "--world ." in (tmp_path / "my task" / "task.toml").read_text()
    done = intercode("run", "--world", ".", cwd=tmp_path / "my task")
    assert done.returncode == 0, done.stderr
    assert [path.name[18:] for path in (tmp_path / "my task" / "runs").iterdir()] == ["my task-oracle"]
    (tmp_path / "my task").rename(tmp_path / "nl2bash")
    done = intercode("run", "--world", "nl2bash", "--limit", "1", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '"nl2bash/0"' in done.stdout


def test_one_of_them_is_played(tmp_path: Path) -> None:
    intercode("new", "mine", cwd=tmp_path)
    typed = "cat /pantry/flour.txt\nsubmit\n"
    done = intercode("play", "--world", "./mine", stdin=typed, cwd=tmp_path, INTERCODE_STATE=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "500 wheat" in done.stdout


def test_a_task_that_pays_no_adversary_is_told_so_and_one_that_does_fails(tmp_path: Path) -> None:
    """With a reward of one's own that always says yes."""
    intercode("new", "mine", "--reward", cwd=tmp_path)
    few = ["--adversaries", "submits-at-once,deletes-everything"]
    done = intercode("hackcheck", "--world", "./mine", *few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no adversary was paid under exact; tried: 2 adversaries on 3 tasks, 6 attempts" in done.stdout
    (tmp_path / "mine" / "reward.py").write_text("def reward(ending): return 1\n")
    done = intercode("hackcheck", "./mine", *few, "--json", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)
    assert found["passes"] is False
    assert found["adversaries"]["exact"]["deletes-everything"]["successes"] == 3
    done = intercode("hackcheck", "./mine", *few, cwd=tmp_path)
    assert "3 of 3 tasks pay an adversary under exact; tried: 2 adversaries on 3 tasks, 6 attempts" in done.stdout
    assert "  mine/1 pays submits-at-once 1.00, deletes-everything 1.00\n" in done.stdout
    assert "never-compares: the reward is paid though nothing was done" in done.stdout
    assert "  tasks: mine/0, mine/1, mine/2\n  earns 1.00: submit, and nothing else\n" in done.stdout
    assert "  paid by: reward.py, line 1: def reward(ending): return 1\n" in done.stdout
    again = "intercode hackcheck ./mine --tasks mine/0 --moves '[]'"
    assert f"  again: {again}\n" in done.stdout
    assert intercode(*shlex.split(again)[1:], cwd=tmp_path).returncode == 3


def test_a_reward_that_raises_is_told_with_its_line(tmp_path: Path) -> None:
    """By `hackcheck` as what it found, by `run` as what stopped it: without a trace, and with how to go on."""
    intercode("new", "mine", "--reward", cwd=tmp_path)
    (tmp_path / "mine" / "reward.py").write_text("def reward(ending):\n    return len(ending.answer) > 9000\n")
    done = intercode("hackcheck", "./mine", "--adversaries", "submits-at-once,does-nothing", cwd=tmp_path)
    assert done.returncode == 5, done.stderr
    assert "the reward failed (3 attempts), though it should stand any answer:" in done.stdout
    message = f"{tmp_path}/mine/reward.py, line 2, in reward: TypeError: object of type 'NoneType' has no len()"
    assert f"  {message}: submits-at-once on mine/0, " in done.stdout
    (tmp_path / "mine" / "reward.py").write_text("def reward(ending):\n    return 1 / 0\n")
    done = intercode("run", "--world", "./mine", "--out", "run", cwd=tmp_path)
    assert done.returncode == 2
    assert "mine/reward.py, line 2, in reward: ZeroDivisionError: division by zero" in done.stderr
    assert "--resume" in done.stderr
    assert "Traceback" not in done.stderr


def test_golds_that_are_wrong_are_told_from_rewards_that_pay_adversaries(tmp_path: Path) -> None:
    """Whoever checks a published set may know of its wrong golds, and want to hear of nothing but rewards."""
    intercode("new", "mine", cwd=tmp_path)
    tasks = '{"query": "Say what cannot be known.", "gold": "date +%N"}\n{"query": "Greet.", "gold": "echo hello"}\n'
    (tmp_path / "mine" / "tasks.jsonl").write_text(tasks)
    few = ["hackcheck", "./mine", "--adversaries", "does-nothing"]
    done = intercode(*few, cwd=tmp_path)
    assert done.returncode == 4, done.stderr
    assert "no adversary was paid under exact; tried: 1 adversary on 2 tasks, 2 attempts; " in done.stdout
    assert "1 task not usable, since no gold there earns 1 each time" in done.stdout
    done = intercode(*few, "--allow-wrong-golds", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["passes"], found["pays_adversaries"], found["wrong_golds"]) == (False, [], ["mine/0"])


def test_tasks_that_nothing_judges_do_not_pass(tmp_path: Path) -> None:
    intercode("new", "mine", cwd=tmp_path)
    (tmp_path / "mine" / "tasks.jsonl").write_text('{"query": "Be nice."}\n')
    few = ["hackcheck", "./mine", "--adversaries", "does-nothing"]
    done = intercode(*few, cwd=tmp_path)
    assert done.returncode == 4, done.stderr
    assert "without a gold or a reward.py, so that nothing judges them: mine/0" in done.stdout
    nothing = "nothing was checked: nothing judges the tasks (mine/0 has neither a gold nor a reward.py)"
    assert done.stdout.startswith(f"{nothing}\n")
    (tmp_path / "mine" / "reward.py").write_text("def reward(ending): return 0\n")
    done = intercode(*few, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "without a gold, so that nobody has seen right work paid: mine/0" in done.stdout
    assert "nothing earned more than 0, whatever was done: mine/0" in done.stdout


def test_nothing_that_is_there_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    done = intercode("new", tmp_path)
    assert done.returncode == 2
    assert "already exists and is not empty" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new", "mine", "--world", "chess"], "there are: bash, ctf, custom"),
        (["run", "--world", "./nowhere"], "./nowhere is not a task's folder: it has no task.toml"),
        (["hackcheck", "--adversaries", "sleeps"], "no adversary called sleeps in bash; there are: submits-at-once"),
    ],
)
def test_mistakes_are_told_with_the_way_out(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = intercode(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_folder_brings_its_own_tasks(tmp_path: Path) -> None:
    intercode("new", "mine", cwd=tmp_path)
    done = intercode("run", "--world", "./mine", "--dataset", "starter", cwd=tmp_path)
    assert done.returncode == 2
    assert "brings its own tasks: leave out the data set starter" in done.stderr


def test_a_stored_run_does_not_make_replay_run_a_folders_code(tmp_path: Path) -> None:
    """Who sends a run may send a folder with it. Who names the folder has looked at it."""
    intercode("new", "mine", "--reward", cwd=tmp_path)
    named = ["--world", "./mine", "--out", "run"]
    assert intercode("run", *named, cwd=tmp_path).returncode == 0
    done = intercode("replay", "run", cwd=tmp_path)
    assert done.returncode == 2
    assert "mine/reward.py would run on this machine, in no sandbox: say --i-know-this-is-unsafe" in done.stderr
    assert intercode("replay", "run", "--i-know-this-is-unsafe", cwd=tmp_path).returncode == 0
    assert intercode("run", *named, "--resume", cwd=tmp_path).returncode == 0


def test_a_run_on_a_task_of_ones_own_is_replayed_and_resumed_from_anywhere(tmp_path: Path) -> None:
    """Also after both were moved together."""
    before, elsewhere = tmp_path / "before", tmp_path / "elsewhere"
    before.mkdir()
    elsewhere.mkdir()
    intercode("new", "mine", cwd=before)
    assert intercode("run", "--world", "./mine", "--limit", "1", "--out", "run", cwd=before).returncode == 0
    after = before.rename(tmp_path / "after")
    done = intercode("replay", "../after/run", cwd=elsewhere)
    assert (done.returncode, "everything agrees" in done.stdout) == (0, True), done.stderr
    done = intercode("run", "--resume", "--out", "../after/run", "--dataset", "../after/mine", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    (after / "mine").rename(tmp_path / "gone")
    done = intercode("replay", "../after/run", cwd=elsewhere)
    assert done.returncode == 2
    assert "../after/mine is not there: go to the directory from which it was given" in done.stderr


def test_a_data_set_is_imported_and_runs(tmp_path: Path) -> None:
    (tmp_path / "birds.tsv").write_text("nl\tbash\nSay hi.\techo hi\nSay the time.\tdate +%N\nSay nothing.\t\n")
    done = intercode("import", "birds.tsv", "--query", "nl", "--gold", "bash", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "the gold asks what time it is" in done.stdout
    assert "made ./birds with 1 task;" in done.stdout
    report = json.loads((tmp_path / "birds" / "fidelity.json").read_text())
    assert (report["records"], report["kept"]) == (3, 1)
    done = intercode("hackcheck", "--world", "./birds", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [task["task"] for task in json.loads(done.stdout)["tasks"]] == ["birds/0"]
    done = intercode("import", "birds.tsv", "--query", "nl", "--gold", "bash", cwd=tmp_path)
    assert done.returncode == 2
    assert "birds already exists: choose another --out" in done.stderr


def test_an_import_that_keeps_nothing_says_so_and_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "clocks.tsv").write_text("nl\tbash\nSay the time.\tdate +%N\n")
    command = ("import", "clocks.tsv", "--query", "nl", "--gold", "bash")
    done = intercode(*command, cwd=tmp_path)
    assert done.returncode == 2
    assert "the gold asks what time it is" in done.stdout
    assert "no task was kept, so clocks was not made; --keep-all keeps tasks that cannot be scored" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["clocks.tsv"]
    done = intercode(*command, "--keep-all", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "made ./clocks with 1 task;" in done.stdout


def test_a_network_is_refused_at_the_door_where_there_is_none(tmp_path: Path) -> None:
    assert intercode("new", "online", cwd=tmp_path).returncode == 0
    settings = tmp_path / "online" / "task.toml"
    settings.write_text(settings.read_text().replace('network = "none"', 'network = "allow"'))
    for command in ("run", "hackcheck"):
        done = intercode(command, "--world", "./online", "--sandbox", "scripted", cwd=tmp_path)
        assert done.returncode == 2, done.stdout
        assert "a network is wanted (network in task.toml" in done.stderr
        assert "choose the embedded or the docker sandbox" in done.stderr


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("shop.sql", "CREATE TABLE bikes (id INT);", "dumps: expected databases, as .sqlite files or as .sql files"),
        ("shop.sqlite", "no database at all" * 99, "dumps/shop.sqlite: SQLite cannot read it: file is not a database"),
    ],
)
def test_an_import_names_the_users_own_folder_of_databases(tmp_path: Path, file: str, content: str, says: str) -> None:
    (tmp_path / "tasks.jsonl").write_text('{"query": "How many bikes?", "gold": "SELECT 1", "db": "shop"}\n')
    (tmp_path / "dumps").mkdir()
    (tmp_path / "dumps" / "shop.sqlite").touch()
    (tmp_path / "dumps" / file).write_text(content)
    words = ["--world", "sql", "--databases", "dumps", "--out", "mine"]
    done = intercode("import", "tasks.jsonl", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert f"intercode: {says}" in done.stderr
    assert ".mine-" not in done.stderr
    assert not (tmp_path / "mine").exists()
