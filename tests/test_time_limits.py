"""No test hangs: each has a time limit, and those that interrupt what they started do so wherever the tests run."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]

HANGING = """
import subprocess

def test_that_hangs_even_when_it_is_to_end():
    command = ["setpriv", "--pdeathsig", "KILL", "sleep", "1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.read()
"""


def test_every_test_has_a_limit_and_its_process_a_later_one(request: pytest.FixtureRequest) -> None:
    usual, last = float(request.config.getini("timeout")), request.config.getini("faulthandler_timeout")
    for item in request.session.items:
        marker = item.get_closest_marker("timeout")
        limit = float(marker.args[0]) if marker else usual
        assert 0 < limit < last, item.nodeid


def test_a_test_that_does_not_end_at_its_limit_ends_with_its_process(tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING)
    settings = ["-c", str(REPOSITORY / "pyproject.toml"), "--rootdir", str(tmp_path), "-p", "no:cacheprovider"]
    limits = ["--timeout=1", "-o", "faulthandler_timeout=4"]
    command = [sys.executable, "-m", "pytest", *settings, *limits, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "Timeout" in done.stderr
    assert "in test_that_hangs_even_when_it_is_to_end" in done.stderr


def test_a_child_can_be_interrupted() -> None:
    with subprocess.Popen(["sleep", "1000"]) as process:
        process.send_signal(signal.SIGINT)
        end = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -signal.SIGINT


def test_a_child_can_be_interrupted_where_whoever_started_the_tests_cannot() -> None:
    ignoring = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"]
    pytest_ = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    chosen = f"{__file__}::{test_a_child_can_be_interrupted.__name__}"
    done = subprocess.run([*ignoring, *pytest_, chosen], cwd=REPOSITORY, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout
