"""The time of an episode is its own: what a worker loads before its first one is booked on none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from openai_server import Server

PROGRAM = Path(sys.executable).with_name("intercode")


@pytest.mark.parametrize("processes", ["1", "2"])
def test_the_first_episode_of_a_worker_takes_no_longer_than_the_others(tmp_path: Path, processes: str) -> None:
    """Importing the client of a server alone takes a second and more; the model here answers at once."""
    server = Server(lambda request: {"content": "Thought: No.\nAction: submit"})
    words = ("--model", "m", "--base-url", server.url, "--limit", "6", "--parallel", "2", "--processes", processes)
    try:
        subprocess.run(
            [PROGRAM, "run", *words, "--out", "run", "--quiet"],
            cwd=tmp_path,
            env={**os.environ, "CI": "1"},
            check=True,
            timeout=120,
            stdout=subprocess.DEVNULL,
        )
    finally:
        server.close()
    phases = [json.loads(line)["phases"] for line in (tmp_path / "run" / "episodes.jsonl").read_text().splitlines()]
    asked = [each["agent"] for each in phases]
    started = [each["reset"] for each in phases]
    assert len(phases) == 6
    assert max(asked[:2]) < 0.5 + 5 * max(asked[2:])
    assert max(started[:2]) < 0.1 + 5 * max(started[2:])
