"""The soak counts what it plays, notices what grows, and breaks what it says it breaks."""

from __future__ import annotations

import random
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from benchmarks.soak import faults
from benchmarks.soak.__main__ import growth
from benchmarks.soak.rounds import WORLDS, count, play

from intercode.runs.job import prepare
from intercode.runs.runner import Runner
from intercode.runs.store import RunStore
from intercode.types.trajectories import EPISODES


def test_a_run_is_played_until_all_is_there_however_often_its_disk_is_full(tmp_path: Path) -> None:
    settings = WORLDS["bash"].changed(limit=4)
    (tmp_path / "run").mkdir()
    report = play(settings, tmp_path / "run", parallel=2)
    assert (report["episodes"], report["lost"], report["doubled"], report["unknown"]) == (4, 0, 0, 0)
    assert not (tmp_path / "run").exists()


def test_what_is_lost_or_stored_twice_is_counted(tmp_path: Path) -> None:
    settings, folder = WORLDS["bash"].changed(limit=3), tmp_path / "run"
    with prepare(settings) as job, RunStore.create(folder, job.manifest) as run:
        Runner(job, run).run()
    first, second, _ = (folder / EPISODES).read_text().splitlines(keepends=True)
    (folder / EPISODES).write_text(first + second + second)
    found = count(settings, folder)
    assert (found["episodes"], found["lost"], found["doubled"]) == (2, 1, 1)


def test_growth_is_the_last_third_beside_the_first() -> None:
    assert growth([{"megabytes": number} for number in range(12)], "megabytes") == 8.0
    assert growth([{"megabytes": 5}] * 12, "megabytes") == 0.0


def test_a_process_below_is_killed() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60; exit 3"]) as parent:
        until = time.monotonic() + 30
        while not (name := faults.kill_one(parent.pid, random.Random(0))) and time.monotonic() < until:
            time.sleep(0.05)
        assert name in ("sleep", "sh")
        assert parent.wait(30) == 3


def test_the_models_server_answers_mostly_and_errs_now_and_then() -> None:
    statuses = set()
    with faults.flaky_model() as url:
        for _ in range(120):
            request = urllib.request.Request(f"{url}/chat/completions", b"{}")
            try:
                with urllib.request.urlopen(request, timeout=10) as answer:
                    statuses.add(answer.status)
            except urllib.error.HTTPError as error:
                statuses.add(error.code)
                error.close()
            except OSError:
                statuses.add(0)
    assert statuses >= {200, 429, 500}


def test_a_full_disk_has_room_again_afterwards(tmp_path: Path) -> None:
    try:
        with faults.small_folder() as folder:
            filling = threading.Thread(target=faults.fill, args=(folder, 2.0))
            filling.start()
            with pytest.raises(OSError, match="No space left"):
                _write_for(20, folder)
            filling.join()
            (folder / "mine").write_bytes(b"x" * 100_000)
    except subprocess.CalledProcessError:
        pytest.skip("only root can mount a small file system")


def _write_for(seconds: float, folder: Path) -> None:
    """So slowly that it is not this one that fills the disk."""
    until, number = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        (folder / str(number)).write_bytes(b"x" * 100_000)
        number += 1
        time.sleep(0.05)
