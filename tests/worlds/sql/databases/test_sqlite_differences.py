"""The embedded SQLite seldom answers otherwise than a genuine server without saying so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[4] / "scripts" / "sql_differences.py"


@pytest.mark.slow
def test_other_rows_are_rare_and_so_are_refusals() -> None:
    command = [sys.executable, str(SCRIPT), "--seed", "21", "--count", "400", "--examples", "20"]
    environment = {name: value for name, value in os.environ.items() if name != "INTERCODE_DATA"}
    printed = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    counted = {said: int(number) for said, number in re.findall(r"^(\w+) +(\d+) +[\d.]+%$", printed, re.MULTILINE)}
    assert "without the recordings" in printed
    assert sum(counted.values()) == 400
    assert counted.get("other", 0) <= 2, printed
    assert counted.get("refused", 0) <= 20, printed
    assert counted.get("error", 0) <= 24, printed
    assert counted.get("equal", 0) >= 350, printed
