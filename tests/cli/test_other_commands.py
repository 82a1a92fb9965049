"""`intercode tasks`, `data`, `doctor`, `play` and `replay`."""

from __future__ import annotations

import json
import re
import resource
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
from terminal import PROGRAM, intercode

from intercode.runs import store
from intercode.worlds.sql import databases
from intercode_sandbox.testing.patience import patience
from intercode_sandbox.util.system_packages import install_command


def test_tasks_are_listed_with_what_can_be_done_with_them() -> None:
    done = intercode("tasks", "--limit", "3")
    assert done.returncode == 0
    assert "starter/bash/list-confs" in done.stdout
    assert "intercode play starter/bash/list-confs" in done.stdout


def test_tasks_hide_their_answers_unless_asked() -> None:
    (task,) = json.loads(intercode("tasks", "--tasks", "list-confs", "--json").stdout)
    assert "gold" not in task
    (task,) = json.loads(intercode("tasks", "--tasks", "list-confs", "--json", "--gold").stdout)
    assert "find" in task["gold"]


def test_a_file_of_tasks_can_be_listed_and_run(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"question": "Say hi.", "gold": "echo hi"}\n')
    options = ["--dataset-option", "query=question"]
    assert "Say hi." in intercode("tasks", "mine.jsonl", *options, cwd=tmp_path).stdout
    done = intercode("run", "--dataset", "mine.jsonl", *options, "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert store.read(tmp_path / "run").episodes[0].success("exact")


@pytest.mark.slow
def test_a_hundred_thousand_tasks_are_listed_in_seconds(tmp_path: Path) -> None:
    lines = (json.dumps({"query": f"Print {number}.", "gold": f"echo {number}"}) for number in range(100_000))
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    listed = intercode("tasks", "many.jsonl", cwd=tmp_path).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert "many/99999" in listed
    assert after.ru_utime - before.ru_utime < patience(8)  # of its own: about 4 where nothing else runs


def test_data_sets_are_listed_and_those_missing_can_be_fetched(tmp_path: Path) -> None:
    done = intercode("data", "list", INTERCODE_DATA=str(tmp_path))
    assert "nl2bash" in done.stdout
    assert "fetch one: intercode data get nl2bash" in done.stdout
    (entry, *_) = json.loads(intercode("data", "list", "--json", INTERCODE_DATA=str(tmp_path)).stdout)
    assert entry["present"] is False
    assert entry["folder"] == str(tmp_path / "nl2bash")


def test_the_doctor_finds_this_machine_fit_or_says_what_is_missing() -> None:
    done = intercode("doctor")
    checks = json.loads(intercode("doctor", "--json").stdout)
    assert {"name", "ok", "detail", "fix"} == set(checks[0])
    assert done.returncode == any(check["ok"] is False for check in checks)
    assert "bubblewrap" in done.stdout


def test_without_bubblewrap_the_doctor_says_to_install_that_and_nothing_else(tmp_path: Path) -> None:
    done = intercode("doctor", "--json", PATH=str(tmp_path))
    checks = {check["name"]: check for check in json.loads(done.stdout)}
    assert done.returncode == 1
    assert checks["bubblewrap"]["fix"] == install_command("bubblewrap")
    for follows in ("user namespaces", "a session"):
        assert checks[follows]["ok"] is not True
        assert checks[follows]["fix"] == ""


def test_the_doctor_says_what_databases_there_are_and_how_to_have_more() -> None:
    """SQL tasks can be played without any: the lack of a server is no illness."""
    lacking = json.loads(intercode("doctor", "--json", INTERCODE_MYSQLD="/no/such/program").stdout)[-1]
    assert (lacking["name"], lacking["ok"]) == ("databases", None)
    assert "SQLite, embedded; /no/such/program cannot be run" in lacking["detail"]
    assert lacking["fix"] == install_command("mariadb-server")
    there = json.loads(intercode("doctor", "--json").stdout)[-1]
    assert there["ok"] is (True if databases.default() == "mysql" else None)


def test_a_person_plays_and_the_episode_is_kept(tmp_path: Path) -> None:
    typed = "cat /shop/config/shop.conf | grep ^port\n:help\nsubmit\n"
    done = intercode("play", "show-port", "--record", tmp_path / "mine", stdin=typed, INTERCODE_STATE=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "starter/bash/show-port (easy)" in done.stdout
    assert "submitted after 2 turns" in done.stdout
    assert f"look at it again: intercode show {tmp_path / 'mine'} starter/bash/show-port" in done.stdout
    run = store.read(tmp_path / "mine")
    assert [str(turn.action) for turn in run.episodes[0].turns] == ["cat /shop/config/shop.conf | grep ^port", "submit"]
    assert run.missing == 0


def test_the_end_of_input_gives_up(tmp_path: Path) -> None:
    done = intercode("play", "--json", INTERCODE_STATE=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "skipped"
    assert ":quit to leave" in done.stderr


def test_a_folder_that_cannot_keep_the_episode_is_refused_before_play(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    done = intercode("play", "--record", tmp_path, stdin="submit\n", INTERCODE_STATE=str(tmp_path / "state"))
    assert done.returncode == 2
    assert "not empty" in done.stderr
    assert ":quit" not in done.stdout


def test_our_own_run_replays_to_the_same_states_and_scores(finished: Path) -> None:
    done = intercode("replay", finished, "--parallel", "2", "--json")
    assert done.returncode == 0, done.stderr
    (file,) = json.loads(done.stdout)["files"]
    assert file["kind"] == "our run"
    for share in ("rewards", "observations", "states"):
        assert file[share]["rate"] == 1.0, share
    assert "everything agrees" in intercode("replay", finished).stdout


def test_a_replay_of_tasks_that_are_not_in_the_run_is_refused(finished: Path) -> None:
    """It showed a table of nothing, with status 0."""
    done = intercode("replay", finished, "--tasks", "list-conf,nothing")
    assert (done.returncode, done.stdout) == (2, "")
    said = f"no episode of list-conf, nothing in {finished} can be replayed; `intercode show {finished}` lists them"
    assert said in done.stderr


def test_a_replay_shows_what_differs_and_how_to_look_closer(erring: Path, tmp_path: Path) -> None:
    for name in ("manifest.json", "episodes.jsonl"):
        (tmp_path / name).write_text((erring / name).read_text().replace("No such file or directory", "Gone"))
    done = intercode("replay", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "- ls: cannot access '/nowhere': Gone" in done.stdout
    assert "+ ls: cannot access '/nowhere': No such file or directory" in done.stdout
    assert f"look closer: intercode replay {tmp_path} --tasks starter/bash/list-confs" in done.stdout


def test_ctrl_c_stops_a_replay_without_blaming_the_machine(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text('{"moves": {"starter/bash/list-confs": ["sleep 4"]}}')
    options = ["--agent", "scripted", "--agent-option", "script=script.json", "--tasks", "list-confs"]
    assert intercode("run", *options, "--out", "run", cwd=tmp_path).returncode == 0
    with subprocess.Popen([*PROGRAM, "replay", "run"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert _comes_to_have_a_sandbox(process.pid)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said == "intercode: stopped: a replay stores nothing, so begin it again\n"


def _comes_to_have_a_sandbox(pid: int, seconds: float = 60.0) -> bool:
    """Whether a process starts bubblewrap within so many seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with suppress(OSError):  # a thread or a child that has just ended
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found = [Path(f"/proc/{child}/cmdline").read_bytes() for child in children.read_text().split()]
                if any(b"bwrap" in command for command in found):
                    return True
        time.sleep(0.05)
    return False


def test_a_run_is_certified_step_by_step_clocks_and_process_ids_aside(tmp_path: Path) -> None:
    moves = {"starter/bash/list-confs": ["ls /shop; mkdir /made", "date +%s.%N; ls -ld /proc/self/fd", "submit"]}
    (tmp_path / "script.json").write_text(json.dumps({"moves": moves}))
    chosen = ["--agent", "scripted", "--agent-option", "script=script.json", "--tasks", "list-confs"]
    assert intercode("run", *chosen, "--out", "run", cwd=tmp_path).returncode == 0
    done = intercode("replay", "run", "--verify", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "certified: 1 same, 2 normalised (run/certificate.json)" in done.stdout
    certificate = json.loads((tmp_path / "run" / "certificate.json").read_text())
    assert certificate["certified"]
    assert certificate["checksum"] == sha256((tmp_path / "run" / "episodes.jsonl").read_bytes()).hexdigest()
    assert certificate["episodes"][0]["steps"] == ["same", "normalised", "normalised"]


def test_a_run_with_another_state_is_not_certified(finished: Path, tmp_path: Path) -> None:
    forged = shutil.copytree(finished, tmp_path / "forged")
    lines = (forged / "episodes.jsonl").read_text()
    state = re.search(r'"state_hash": ?"(\w+)"', lines)
    assert state is not None
    (forged / "episodes.jsonl").write_text(lines.replace(state[1], "0" * 16, 1))
    done = intercode("replay", forged, "--verify", "--json")
    assert done.returncode == 1
    assert [each["certified"] for each in json.loads(done.stdout)["certificates"]] == [False]


def test_only_whole_runs_of_ours_are_certified(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "recorded.json").write_text("{}")
    for argv, word in (([tmp_path / "recorded.json"], "our own runs"), ([finished, "--limit", "1"], "--limit")):
        done = intercode("replay", *argv, "--verify")
        assert done.returncode == 2
        assert word in done.stderr
