"""`intercode sweep`, `report`, `compare`, `errors` and `export`, as people run them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from terminal import PROGRAM, intercode

PLAN = """
out = "runs"
parallel = 2
[run]
tasks = ["list-confs", "count-january"]
repeat = 2
[[runs]]
name = "right"
agent = "oracle"
[[runs]]
name = "wrong"
agent = "scripted"
agent_options = {script = "wrong.json"}
"""

MOVES = {
    "starter/bash/list-confs": ["foo", "submit"],
    "starter/bash/count-january": ["ls /shop", "tail -n +2 /shop/orders/2024-01.csv | wc -l", "submit"],
}


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs of a sweep: `runs/right` and `runs/wrong`."""
    folder = tmp_path_factory.mktemp("swept")
    (folder / "plan.toml").write_text(PLAN)
    (folder / "wrong.json").write_text(json.dumps({"moves": MOVES}))
    done = intercode("sweep", "plan.toml", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "run 2 of 2: wrong" in done.stderr
    assert "pass@2" in done.stdout
    assert "all tables and plots: intercode report runs/right runs/wrong" in done.stdout
    return folder


def test_a_finished_sweep_plays_nothing_again(swept: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in swept.glob("runs/*/episodes.jsonl")}
    done = intercode("sweep", "plan.toml", "--json", cwd=swept)
    assert [report["summary"]["successes"] for report in json.loads(done.stdout)] == [4, 2]
    assert {path: path.stat().st_mtime_ns for path in swept.glob("runs/*/episodes.jsonl")} == before


def test_a_plan_says_how_far_each_run_is(swept: Path) -> None:
    done = intercode("sweep", "plan.toml", "--plan", "--json", cwd=swept)
    assert [(row["run"], row["finished"], row["episodes"]) for row in json.loads(done.stdout)] == [
        ("right", 4, 4),
        ("wrong", 4, 4),
    ]


def test_a_sweep_whose_file_contradicts_a_run_is_refused(swept: Path) -> None:
    (swept / "other.toml").write_text(PLAN.replace("repeat = 2", "repeat = 3"))
    done = intercode("sweep", "other.toml", cwd=swept)
    assert done.returncode == 2
    assert "repeat is 2, not 3" in done.stderr


def test_a_sweep_that_was_stopped_goes_on_by_the_same_command(tmp_path: Path) -> None:
    moves = {f"starter/bash/{name}": ["sleep 9", "submit"] for name in ("list-confs", "count-january", "show-port")}
    moves["starter/bash/list-confs"] = ["submit"]
    (tmp_path / "slow.json").write_text(json.dumps({"moves": moves}))
    plan = 'out = "runs"\n[run]\nagent = "scripted"\nagent_options = {script = "slow.json"}\n'
    plan += f"tasks = {json.dumps([name.rpartition('/')[2] for name in moves])}\n"
    (tmp_path / "plan.toml").write_text(plan)
    running = subprocess.Popen([*PROGRAM, "sweep", "plan.toml"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    stored = tmp_path / "runs" / "run" / "episodes.jsonl"
    deadline = time.monotonic() + 60
    while not (stored.exists() and stored.read_bytes()) and time.monotonic() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130, errors
    assert errors.endswith("intercode sweep plan.toml\n")
    before = len(stored.read_text().splitlines())
    (tmp_path / "slow.json").write_text(json.dumps({"moves": {name: ["submit"] for name in moves}}))
    done = intercode("sweep", "plan.toml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert 0 < before < 3
    assert json.loads(done.stdout)[0]["missing"] == 0
    assert len(stored.read_text().splitlines()) == 3


def test_a_report_is_a_table_markdown_csv_or_json(swept: Path) -> None:
    runs = ("runs/right", "runs/wrong")
    table = intercode("report", *runs, cwd=swept).stdout
    assert "compare two on the same tasks: intercode compare runs/right runs/wrong" in table
    markdown = intercode("report", *runs, "--format", "markdown", cwd=swept).stdout
    assert re.search(r"^\| right \|.* \| 4 \| 0 \| 100.0% \|", markdown, re.MULTILINE)
    lines = intercode("report", *runs, "--format", "csv", cwd=swept).stdout.splitlines()
    assert 'results,wrong,"success, exact",0.5' in lines
    data = json.loads(intercode("report", *runs, "--json", cwd=swept).stdout)
    assert [run["summary"]["rate"] for run in data] == [1.0, 0.5]
    assert data[1]["by_turn"][0]["rate"] == 0.0


def test_a_run_that_is_named_twice_is_reported_once(swept: Path) -> None:
    names = ("runs/right", "runs/wrong", "runs/../runs/right")
    once = intercode("report", *names[:2], "--json", cwd=swept)
    assert json.loads(once.stdout) != []
    assert intercode("report", *names, "--json", cwd=swept).stdout == once.stdout


def test_a_report_writes_its_files_where_it_is_told_to(swept: Path) -> None:
    done = intercode("report", "runs/right", "--out", "out", "--json", cwd=swept)
    assert "written: out/report.md" in done.stderr
    assert {"report.json", "results.csv", "rewards.svg"} <= {path.name for path in (swept / "out").iterdir()}


def test_a_format_that_does_not_exist_is_refused(swept: Path) -> None:
    done = intercode("report", "runs/right", "--format", "pdf", cwd=swept)
    assert (done.returncode, "--format is table or markdown or latex or csv" in done.stderr) == (2, True)


def test_a_comparison_names_the_tasks_lost_and_how_to_look_at_both(swept: Path) -> None:
    output = intercode("compare", "runs/right", "runs/wrong", cwd=swept).stdout
    assert "-50.0%" in output
    assert "lost by runs/wrong: 1" in output
    assert "intercode show runs/right starter/bash/list-confs" in output
    assert "intercode show runs/wrong starter/bash/list-confs" in output
    data = json.loads(intercode("compare", "runs/right", "runs/wrong", "--json", cwd=swept).stdout)
    assert (data["difference"], round(data["p"], 3), data["lost"]) == (-0.5, 0.317, ["starter/bash/list-confs"])


def test_errors_are_shown_with_an_episode_to_look_at(swept: Path) -> None:
    output = intercode("errors", "runs/wrong", cwd=swept).stdout
    assert "command not found" in output
    assert "look at one: intercode show runs/wrong starter/bash/list-confs" in output
    data = json.loads(intercode("errors", "runs/wrong", "--json", cwd=swept).stdout)
    assert data["errors"] == {"command not found": 2}
    assert data["by_turn"][0]["exploring"] == 2


def test_an_export_says_what_it_wrote_and_does_not_overwrite_it(swept: Path) -> None:
    options = ("export", "runs/wrong", "--format", "openai", "--min-reward", "1", "--out", "good.jsonl")
    done = intercode(*options, cwd=swept)
    assert done.stdout == "written: good.jsonl, 2 conversations of 2 episodes; 2 left out\n"
    assert len((swept / "good.jsonl").read_text().splitlines()) == 2
    again = intercode(*options, cwd=swept)
    assert (again.returncode, "already exists" in again.stderr) == (2, True)


def test_an_export_in_an_agent_s_words_begins_with_its_prompt(swept: Path) -> None:
    options = ("export", "runs/wrong", "--format", "openai", "--min-reward", "1", "--as")
    done = intercode(*options, "compact", "--out", "compact.jsonl", cwd=swept)
    assert done.stdout == "written: compact.jsonl, 2 conversations of 2 episodes; 2 left out\n"
    first = json.loads((swept / "compact.jsonl").read_text().splitlines()[0])["messages"]
    assert first[0] == {
        "role": "system",
        "content": "Reply with code in one ```bash fence. When all is done, reply submit.",
    }
    refused = intercode(*options, "oracle", "--out", "oracle.jsonl", cwd=swept)
    assert (refused.returncode, "--as oracle: choose an agent that asks a model" in refused.stderr) == (2, True)


@pytest.mark.parametrize("form", ["openai", "atif"])
def test_an_export_that_cannot_be_written_is_told_in_a_line(swept: Path, form: str) -> None:
    (swept / "file").touch()
    for place, why in (("/proc/nowhere", "/proc/nowhere: No such file or directory"), ("file/x", "file: File exists")):
        done = intercode("export", "runs/wrong", "--format", form, "--out", place, cwd=swept)
        assert (done.returncode, done.stderr) == (1, f"intercode: cannot write {why}; name another with --out\n")


def test_what_a_person_played_is_exported_like_any_run(tmp_path: Path) -> None:
    moves = "ls /shop\nsubmit\n"
    played = intercode("play", "count-january", "--record", "mine", cwd=tmp_path, stdin=moves)
    assert played.returncode == 0, played.stderr
    done = intercode("export", "mine", "--format", "sharegpt", "--json", cwd=tmp_path)
    path = tmp_path / json.loads(done.stdout)["path"]
    conversation = json.loads(path.read_text())["conversations"]
    assert [part["from"] for part in conversation] == ["human", "gpt", "human", "gpt"]
    assert "ls /shop" in conversation[1]["value"]
