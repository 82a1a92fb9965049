"""`intercode data prepare` on tasks with verifiers of their own: which can be played, and what runs make of that."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from terminal import intercode

from intercode.runs import store

TASKS = Path(__file__).parents[1] / "datasets" / "harbor_tasks"


def test_what_cannot_be_played_is_said_kept_and_left_out_by_name(tmp_path: Path) -> None:
    for name in ("log-report", "word-index"):
        shutil.copytree(TASKS / name, tmp_path / "set" / name)
    test = tmp_path / "set" / "word-index" / "tests" / "test.sh"
    test.write_text("#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n")
    own = str(tmp_path / "cache")
    done = intercode("data", "prepare", "./set", "--json", cwd=tmp_path, INTERCODE_CACHE=own)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["errors"] == {"set/word-index": "doing nothing earns 1"}
    assert found["verdicts"]["set/log-report"]["error"] == ""
    said = intercode("data", "prepare", "./set", cwd=tmp_path, INTERCODE_CACHE=own)
    assert "set/word-index: doing nothing earns 1\n1 task ready" in said.stdout
    played = intercode(
        "run", "--dataset", "./set", "--agent", "oracle", "--out", "run", cwd=tmp_path, INTERCODE_CACHE=own
    )
    assert played.returncode == 0, played.stderr
    assert "1 task left out, as `intercode data prepare` found" in played.stderr
    assert "set/word-index: doing nothing earns 1" in played.stderr
    again = intercode("run", "--resume", "--out", "run", cwd=tmp_path, INTERCODE_CACHE=own)
    assert again.returncode == 0, again.stderr
    assert [episode.task.id for episode in store.read(tmp_path / "run").episodes] == ["set/log-report"]
