"""Runs with models from the command line."""

from __future__ import annotations

import json
import os
import shlex
import socket
import socketserver
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

PROGRAM = Path(sys.executable).with_name("intercode")
TASK = "starter/bash/count-january"
COUNT = "tail -n +2 /shop/orders/2024-01.csv | wc -l"


def intercode(folder: Path, *words: str, status: int = 0, **environment: str) -> str:
    """What the program says, on both streams."""
    done = subprocess.run(
        [PROGRAM, *words],
        cwd=folder,
        env={**os.environ, "CI": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    replies = [f"Thought: count\nAction: execute[{COUNT}]", "Thought: done\nAction: submit"]
    (tmp_path / "replies.json").write_text(json.dumps({"replies": {"How many orders": replies, "": ["submit"]}}))
    return tmp_path


def manifest(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "run" / "manifest.json").read_text())["settings"]
    return found


def test_a_model_plays_and_its_run_becomes_demonstrations_for_the_next(folder: Path) -> None:
    said = intercode(folder, "run", "--model", "scripted:replies.json", "--tasks", TASK, "--out", "run")
    assert "100.0%" in said
    assert manifest(folder)["agent"] == "react"
    assert TASK in intercode(folder, "demos", "run", "--out", "demos.jsonl")
    words = ["--demos", "demos.jsonl", "--tasks", "starter/bash/list-confs", "--out", "more"]
    intercode(folder, "run", "--model", "scripted:replies.json", *words)
    sent = json.loads((folder / "more" / "episodes.jsonl").read_text())["turns"][0]["calls"][0]["sent"]
    assert [message["text"] for message in sent if message.get("is_example") and message["role"] == "assistant"] == [
        f"Thought: count\nAction:\n```bash\n{COUNT}\n```",
        "Thought: done\nAction: submit",
    ]
    assert "demos demos.jsonl" in json.loads((folder / "more" / "manifest.json").read_text())["data"]


def test_demonstrations_of_ours_are_shown_and_written_into_the_runs_manifest(folder: Path) -> None:
    words = ["--model", "scripted:replies.json", "--demos", "starter", "--tasks", TASK]
    assert "100.0%" in intercode(folder, "run", *words, "--out", "run")
    assert "demos starter" in json.loads((folder / "run" / "manifest.json").read_text())["data"]


WARNING = (
    "The sandbox's image is made of this machine's files. After they change (apt-get), this run resumes only with "
    "--accept-changed-image. --image debian stays the same."
)
PAID = ("--model-option", "price_in=1", "--model-option", "price_out=2")


def test_a_run_that_costs_money_is_warned_once_that_its_image_changes(folder: Path) -> None:
    words = ["--model", "scripted:replies.json", "--tasks", TASK, "--out"]
    assert intercode(folder, "run", *words, "run", *PAID).count(WARNING) == 1
    assert WARNING not in intercode(folder, "run", "--resume", "--out", "run")
    assert WARNING not in intercode(folder, "run", *words, "free")
    assert WARNING not in intercode(
        folder, "run", *words, "zero", *(word.partition("=")[0] + "=0" * ("=" in word) for word in PAID)
    )
    assert WARNING not in intercode(folder, "run", "--tasks", TASK, "--out", "oracle")


def test_a_sweep_warns_once_of_an_image_that_changes(folder: Path) -> None:
    run = f'[run]\ndataset = "starter"\ntasks = ["{TASK}"]\nmodel = "scripted:replies.json"\n'
    (folder / "plan.toml").write_text(f"""{run}model_options = {{price_in = "1", price_out = "2"}}
[grid]
agent = ["react", "tool-use", "plan-solve"]
""")
    assert intercode(folder, "sweep", "plan.toml").count(WARNING) == 1


def test_agents_that_see_the_reward_get_a_world_that_tells_it(folder: Path) -> None:
    words = ["--agent", "try-again", "--tasks", TASK, "--out", "run"]
    (folder / "replies.json").write_text(json.dumps({"replies": {"": ["```bash\nls\n```", f"```bash\n{COUNT}\n```"]}}))
    intercode(folder, "run", "--model", "scripted:replies.json", *words)
    episode = json.loads((folder / "run" / "episodes.jsonl").read_text())
    assert [turn["scores"]["exact"]["success"] for turn in episode["turns"]] == [False, True, True]
    assert manifest(folder)["reward_every_turn"] is True
    assert "100" in intercode(folder, "replay", "run")


def test_plan_and_solve_refines_as_often_as_it_is_told(folder: Path) -> None:
    (folder / "replies.json").write_text(json.dumps({"replies": {"": ["1. Look.", "```bash\nls\n```"]}}))
    words = ["--agent", "plan-solve", "--refine", "2", "--tasks", TASK, "--out", "run"]
    intercode(folder, "run", "--model", "scripted:replies.json", *words)
    episode = json.loads((folder / "run" / "episodes.jsonl").read_text())
    assert [turn["action"]["text"] for turn in episode["turns"]] == ["ls", "ls", "ls", ""]


def test_a_model_is_told_that_a_persistent_shell_keeps_its_variables(folder: Path) -> None:
    words = ["--agent", "tool-use", "--shell", "persistent", "--turns", "1", "--tasks", TASK, "--out", "run"]
    intercode(folder, "run", "--model", "scripted:replies.json", *words)
    episode = json.loads((folder / "run" / "episodes.jsonl").read_text())
    assert "variables and functions stay" in episode["turns"][0]["calls"][0]["sent"][0]["text"]


def test_a_budget_ends_the_run_with_status_3_and_is_raised_to_go_on(folder: Path) -> None:
    words = ["--model", "scripted:replies.json", "--limit", "4", "--out", "run"]
    said = intercode(folder, "run", *words, "--max-tokens", "300", status=3)
    assert "--max-tokens MORE" in said
    intercode(folder, "run", "--resume", "--out", "run", "--max-tokens", "1000000")
    lines = (folder / "run" / "episodes.jsonl").read_text().splitlines()
    assert len({json.loads(line)["task"]["id"] for line in lines}) == 4


def test_a_run_says_how_much_came_from_the_cache_of_replies(folder: Path) -> None:
    words = ["run", "--model", "scripted:replies.json", "--model-option", "price_in=9", "--model-option", "price_out=9"]
    words += ["--cache", "--tasks", TASK, "--parallel", "2"]
    cache = str(folder / "cache")
    first = intercode(folder, *words, "--out", "first", INTERCODE_CACHE=cache)
    assert "from the cache" not in first
    again = intercode(folder, *words, "--out", "again", INTERCODE_CACHE=cache)
    assert "from the cache of replies, for $0.0000" in again
    assert "from our cache" in intercode(folder, "report", "again", "--format", "csv")
    turns = [json.loads((folder / name / "episodes.jsonl").read_text())["turns"] for name in ("first", "again")]
    texts = [[call["reply"]["text"] for turn in each for call in turn["calls"]] for each in turns]
    assert texts[0] == texts[1]


def test_a_sweep_whose_budget_is_used_up_goes_on_with_more_of_it_in_its_file(folder: Path) -> None:
    plan = 'out = "runs"\n[run]\nmodel = "scripted:replies.json"\nlimit = 2\nmax_tokens = {}\n[grid]\nseed = [1, 2]\n'
    (folder / "plan.toml").write_text(plan.format(300))
    assert "intercode sweep plan.toml" in intercode(folder, "sweep", "plan.toml", status=3).partition("resume: ")[2]
    (folder / "plan.toml").write_text(plan.format(1_000_000))
    intercode(folder, "sweep", "plan.toml")
    lines = [(folder / "runs" / f"seed={seed}" / "episodes.jsonl").read_text().splitlines() for seed in (1, 2)]
    assert [len({json.loads(line)["task"]["id"] for line in each}) for each in lines] == [2, 2]


def test_a_price_that_is_not_known_cannot_be_kept_to(folder: Path) -> None:
    words = ["--model", "mine", "--base-url", "http://127.0.0.1:9/v1", "--max-cost", "1"]
    assert "price_in" in intercode(folder, "run", *words, status=2)


def test_a_key_on_the_command_line_is_refused_before_anything_is_written(folder: Path) -> None:
    words = ["--model", "mine", "--base-url", "http://127.0.0.1:9/v1", "--model-option", "api_key=sk-123456789"]
    assert "environment" in intercode(folder, "run", *words, "--out", "run", status=2)
    assert not (folder / "run").exists()


@pytest.fixture
def url() -> Iterator[str]:
    """Where somebody listens, who hangs up on everybody."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


def test_without_a_server_nothing_is_begun(folder: Path) -> None:
    with socket.socket() as taken:  # so that nobody else listens there meanwhile
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        said = intercode(folder, "run", "--model", "mine", "--base-url", url, "--out", "run", status=2, no_proxy="*")
    assert f"no server answers at {url}: Connection refused. Start the server" in said
    assert not (folder / "run").exists()


def test_a_resumed_run_sends_no_key_to_an_address_that_only_its_directory_names(folder: Path, url: str) -> None:
    words = ["--model", "mine", "--base-url", url, "--model-option", "tries=1", "--limit", "1", "--out", "run"]
    secret = {"OPENAI_API_KEY": "sk-very-secret-0123456789"}
    intercode(folder, "run", *words, status=1, **secret)
    assert json.loads((folder / "run" / "episodes.jsonl").read_text())["error"].startswith("ModelError: the connection")
    assert "--base-url" in intercode(folder, "run", "--resume", "--out", "run", status=2, **secret)
    intercode(folder, "run", "--resume", "--out", "run", "--base-url", url, status=1, **secret)
    assert all("sk-very" not in path.read_text() for path in (folder / "run").iterdir())


def test_the_command_that_is_told_goes_on_as_it_stands(folder: Path, url: str) -> None:
    words = ["--model", "mine", "--base-url", url, "--model-option", "tries=1", "--limit", "1"]
    secret = {"OPENAI_API_KEY": "sk-very-secret-0123456789"}
    failed = intercode(folder, "run", *words, "--out", "a run", status=1, **secret)
    for said in (failed, intercode(folder, "show", "a run")):
        (line,) = [line for line in said.splitlines() if "run --resume" in line]
        again = shlex.split(line.partition(": ")[2])
        intercode(folder, *again[1:], status=1, **secret)  # the server still hangs up
    assert len((folder / "a run" / "episodes.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--agent", "oracle", "--model", "m"], "asks no model"),
        (["--agent", "react"], "--model"),
        (["--model", "scripted:nothing.json"], "nothing.json"),
        (["--model", "scripted:replies.json", "--parser", "x"], "default, bare, paper"),
        (["--model", "scripted:replies.json", "--prompt", "none.md"], "none.md"),
    ],
)
def test_what_does_not_go_together_is_refused(folder: Path, words: list[str], says: str) -> None:
    assert says in intercode(folder, "run", *words, status=2)
