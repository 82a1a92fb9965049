"""The sandbox's own benchmark runs, and times every part."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[1] / "benchmark.py"
PARTS = ["bash -c, no sandbox", "start", "run", "read", "diff", "snapshot", "fork", "close"]


def test_the_benchmark_times_every_part_of_a_session() -> None:
    done = subprocess.run([sys.executable, BENCHMARK, "2"], capture_output=True, text=True, check=True)
    lines = [line.split(" ms  ") for line in done.stdout.splitlines()]
    assert [part for _, part in lines] == PARTS
    assert all(float(median) >= 0 for median, _ in lines)
