"""`intercode generate` and `intercode certify`, as a user types them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from terminal import intercode


def test_tasks_are_written_certified_and_written_again(tmp_path: Path) -> None:
    options = ["--count", "4", "--seed", "11"]
    done = intercode("generate", "bash", *options, "--out", "tasks.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {
        f"tasks.{end}" for end in ("jsonl", "parquet", "sha256", "md")
    }
    played = ["--dataset-option", "count=4", "--dataset-option", "seed=11"]
    done = intercode("certify", "generated-bash", *played, "--parallel", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 of 4 tasks certified (100.0%)" in done.stdout
    certificate = json.loads((tmp_path / "certificate.json").read_text())
    assert certificate["certified"] == len(certificate["ids"]) == 4
    intercode("generate", "bash", *options, "--certificate", "certificate.json", "--out", "good.jsonl", cwd=tmp_path)
    assert (tmp_path / "good.jsonl").read_text() == (tmp_path / "tasks.jsonl").read_text()


def test_what_cannot_be_generated_is_refused_with_what_can(tmp_path: Path) -> None:
    done = intercode("generate", "cobol", "--out", "x.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "there are: bash" in done.stderr


@pytest.mark.parametrize("command", [["generate", "bash"], ["certify", "starter", "--limit", "1"]])
@pytest.mark.parametrize(
    ("out", "reason"),
    [("nowhere/x.jsonl", "No such file"), ("folder.jsonl", "Is a directory"), ("pipe.jsonl", "Not a regular file")],
)
def test_what_cannot_be_written_is_refused_before_the_work(
    command: list[str], out: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    done = intercode(*command, "--out", out, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip().startswith(f"intercode: cannot write {out}: {reason}")
    assert {path.name for path in tmp_path.iterdir()} == {"folder.jsonl", "pipe.jsonl"}


def test_a_task_that_pays_an_adversary_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"query": "Say ok.", "gold": "echo ok"}\n')
    done = intercode("certify", "mine.jsonl", cwd=tmp_path)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "not certified, adversary: 1, such as mine/0" in done.stdout
    assert json.loads((tmp_path / "certificate.json").read_text())["share"] == 0
