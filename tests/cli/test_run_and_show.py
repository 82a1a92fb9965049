"""`intercode run` and `intercode show`, in the embedded sandbox."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import stored_runs
from terminal import PROGRAM, intercode, marked

from intercode.runs import store
from intercode_sandbox.util.system_packages import install_command


def test_a_run_ends_with_its_table_and_the_next_command(tmp_path: Path) -> None:
    done = intercode("run", "--tasks", "list-confs", "--limit", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.endswith("-starter-oracle")
    assert "100.0%" in done.stdout
    assert f"look at one: intercode show runs/{folder.name} starter/bash/list-confs" in done.stdout


@pytest.mark.parametrize("width", [50, 60, 72, 80, 120])
def test_no_figure_of_a_summary_is_cut_however_narrow_the_terminal_is(tmp_path: Path, width: int) -> None:
    folder = stored_runs.write(tmp_path / "run", stored_runs.manifest(), [stored_runs.episode()])
    shown = intercode("show", folder, COLUMNS=str(width)).stdout.partition("toy-1")[0]
    table = shown[shown.index("starter with") :]
    assert "…" not in table
    assert all(figure in table for figure in ("100.0%", "20.7 to 100.0%", "1.000", "0.500", "2.00"))


def test_a_summary_of_a_starter_set_is_one_table_on_eighty_columns(tmp_path: Path) -> None:
    episodes = [stored_runs.episode(), stored_runs.episode("toy/b")]
    episodes[1]["task"]["difficulty"] = "medium"
    folder = stored_runs.write(tmp_path / "run", stored_runs.manifest(), episodes)
    lines = intercode("show", folder, COLUMNS="80").stdout.splitlines()
    assert any(
        line.startswith("medium") and line.endswith("20.7 to 100.0%   1.000   0.500    3.0  2.00") for line in lines
    )


def test_a_summary_says_what_ended_its_errors(tmp_path: Path) -> None:
    """With `--quiet` it is all that is printed."""
    broken = stored_runs.episode("toy/b", error="ModelError: it answered 403:\nnot from there")
    folder = stored_runs.write(tmp_path / "run", stored_runs.manifest(), [stored_runs.episode(), broken])
    done = intercode("show", folder)
    assert "1 ended in an error, counted nowhere else. The first: ModelError: it answered 403: not from" in done.stdout


def test_two_runs_of_one_second_have_folders_of_their_own(tmp_path: Path) -> None:
    running = [
        subprocess.Popen([*PROGRAM, "run", "--limit", "1", "--json"], cwd=tmp_path, stdout=subprocess.DEVNULL)
        for _ in "ab"
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_json_is_all_there_is_on_standard_output(tmp_path: Path) -> None:
    done = intercode("run", "--limit", "2", "--parallel", "2", "--json", "--out", tmp_path / "run")
    report = json.loads(done.stdout)
    assert report["summary"]["successes"] == 2
    assert report["missing"] == 0
    assert {episode["status"] for episode in report["episodes"]} == {"submitted"}


def test_a_manifest_holds_what_the_run_depends_on(finished: Path) -> None:
    manifest = json.loads((finished / "manifest.json").read_text())
    assert manifest["settings"]["sandbox"] == "embedded"
    assert manifest["settings"]["scoring"] == "exact"
    assert manifest["command"][:2] == ["intercode", "run"]
    assert manifest["machine"]["bubblewrap"]
    assert all(len(digest) >= 16 for digest in [*manifest["images"].values(), *manifest["data"].values()])


def test_an_existing_run_is_not_overwritten(finished: Path) -> None:
    done = intercode("run", "--out", finished)
    assert done.returncode == 2
    assert "already holds a run: choose another directory, or resume it: intercode run --resume --out" in done.stderr


def test_resuming_a_finished_run_plays_nothing_and_shows_it(finished: Path) -> None:
    before = (finished / "episodes.jsonl").read_bytes()
    done = intercode("run", "--resume", "--out", finished)
    assert done.returncode == 0, done.stderr
    assert "100.0%" in done.stdout
    assert (finished / "episodes.jsonl").read_bytes() == before


def test_resuming_with_other_settings_is_refused(finished: Path) -> None:
    done = intercode("run", "--resume", "--out", finished, "--turns", "3")
    assert done.returncode == 2
    assert "turns is 10, not 3: leave that out" in done.stderr


@pytest.mark.flaky_when_busy("a command of nine seconds must still be running when the run ends")
def test_ctrl_c_leaves_nothing_running_and_prints_the_command_that_goes_on(tmp_path: Path) -> None:
    moves = {f"starter/bash/{name}": ["sleep 9", "submit"] for name in ("show-port", "third-line")}
    moves |= {"starter/bash/list-confs": ["ls"]}
    (tmp_path / "slow.json").write_text(json.dumps({"moves": moves}))
    options = [
        "--agent",
        "scripted",
        "--agent-option",
        "script=slow.json",
        "--tasks",
        "list-confs,show-port,third-line",
    ]
    command = [*PROGRAM, "run", *options, "--parallel", "3", "--out", "run"]
    environment, pipe = {**os.environ, "MARK": str(tmp_path)}, subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        while not (tmp_path / "run" / "manifest.json").exists() or not store.read(tmp_path / "run").episodes:
            assert process.poll() is None
            time.sleep(0.05)
        assert len(marked(f"MARK={tmp_path}")) > 1, "the sandbox is seen while it runs"
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert time.monotonic() - started < 8, "it waited for the commands that were running"
    assert process.returncode == 130
    assert not out
    assert "stopped: 1 of 3 episodes are stored, 2 are left\n  resume: intercode run --resume --out run" in err
    assert "Traceback" not in err
    assert not marked(f"MARK={tmp_path}")
    moves |= {name: ["submit"] for name in moves}
    (tmp_path / "slow.json").write_text(json.dumps({"moves": moves}))
    done = intercode("run", "--resume", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(store.read(tmp_path / "run").episodes) == 3


@pytest.mark.parametrize("argument", ["", "--json"])
def test_a_run_is_shown_with_all_its_episodes(erring: Path, argument: str) -> None:
    done = intercode("show", erring, *filter(None, [argument]))
    assert done.returncode == 0
    for word in ("starter/bash/list-confs", "starter/bash/show-port", "skipped"):
        assert word in done.stdout
    if argument:
        assert json.loads(done.stdout)["summary"]["rate"] == 0.0


def test_an_episode_of_several_repeats_says_so_and_names_another(tmp_path: Path) -> None:
    folder = stored_runs.write(tmp_path / "run", stored_runs.manifest(), stored_runs.episodes())
    for name, shown, other in (("toy/a", 0, 1), ("toy/a:1", 1, 0)):
        last = intercode("show", folder, name).stdout.splitlines()[-1]
        assert last.startswith(f"this is repeat {shown} of the task, which was played 2 times; see another: intercode ")
        assert last.endswith(f" toy/a:{other}")
    assert "this is repeat" not in intercode("show", folder, "toy/b").stdout


def test_an_episode_is_shown_turn_by_turn(erring: Path) -> None:
    done = intercode("show", erring, "list-confs")
    assert done.returncode == 0
    for text in (
        "turn 1",
        "ls /nowhere",
        "No such file or directory",
        "exit 2",
        "turn 3",
        "submit",
        "exact",
        "no success",
    ):
        assert text in done.stdout


def test_what_came_out_of_a_sandbox_does_not_steer_the_terminal(erring: Path) -> None:
    done = intercode("show", erring, "list-confs")
    assert "␛[31mred" in done.stdout
    assert "\x1b[31m" not in done.stdout


def test_an_episode_as_json_is_its_trajectory(erring: Path) -> None:
    done = intercode("show", erring, "starter/bash/list-confs:0", "--json")
    assert json.loads(done.stdout)["turns"][0]["action"] == {"kind": "execute", "text": "ls /nowhere"}


def test_an_unknown_episode_is_named_with_the_way_to_the_list(erring: Path) -> None:
    done = intercode("show", erring, "list-conf")
    assert done.returncode == 2
    assert f"no episode 'list-conf' in {erring}; `intercode show {erring}` lists them" in done.stderr


def test_a_run_of_another_version_is_refused_with_the_way_out(tmp_path: Path, finished: Path) -> None:
    manifest = json.loads((finished / "manifest.json").read_text()) | {"format": 7}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    path = str(tmp_path)
    for command in (["show", path], ["run", "--resume", "--out", path], ["replay", path]):
        done = intercode(*command)
        assert done.returncode == 2
        assert "has format 7" in done.stderr


def test_progress_goes_to_standard_error_and_not_into_continuous_integration(tmp_path: Path) -> None:
    done = intercode("run", "--limit", "1", "--out", tmp_path / "a")
    assert "1 of 1 done, 1 succeeded" in done.stderr
    done = intercode("run", "--limit", "1", "--out", tmp_path / "b", CI="true")
    assert "The agent oracle plays the golds" in done.stderr
    assert "done" not in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system to fill up")
def test_a_full_disk_under_the_run_ends_it_with_1_and_loses_nothing_that_was_written(tmp_path: Path) -> None:
    small, kept = tmp_path / "small", tmp_path / "kept"
    small.mkdir()
    script = f'mount -t tmpfs -o size=24k none {small} && "$@"; code=$?; cp -r {small}/run {kept}; exit $code'
    command = ["unshare", "--mount", "sh", "-c", script, "sh", *PROGRAM, "run", "--out", str(small / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert f"fix: make room\n  resume: intercode run --resume --out {small / 'run'}" in done.stderr
    assert "Traceback" not in done.stderr
    assert store.read(kept).episodes


def test_without_bubblewrap_nothing_is_begun_and_the_way_out_is_told(tmp_path: Path) -> None:
    done = intercode("run", "--limit", "1", "--out", tmp_path / "run", PATH=str(tmp_path))
    assert done.returncode == 1
    assert f"bubblewrap is not installed ({install_command('bubblewrap')})" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_user_namespaces_nothing_is_begun_and_the_way_out_is_told(tmp_path: Path) -> None:
    """In a namespace in which no further one can be made."""
    none_left = ["unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh"]
    if (tried := subprocess.run([*none_left, "true"], capture_output=True, text=True, check=False)).returncode:
        pytest.skip(f"no such namespace can be made here: {tried.stderr.strip()}")
    command = [*none_left, *PROGRAM, "run", "--limit", "1", "--out", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert "no user namespace" in done.stderr
    assert "`intercode doctor`" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
