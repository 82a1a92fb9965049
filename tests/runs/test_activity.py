"""What a run is doing can be read from its folder while it goes on, and not afterwards."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from intercode.runs import activity
from intercode.runs.activity import Activity


def wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_who_plays_what_is_told_until_it_is_over(tmp_path: Path) -> None:
    record = Activity(tmp_path)
    record.on_start(10, 2, 1)
    record.on_reset(("toy/a", 0))
    record.on_step(("toy/a", 0), 3)
    assert wait_until(lambda: bool((activity.read(tmp_path) or {}).get("workers")), 30)
    found = activity.read(tmp_path)
    assert found is not None
    assert (found["total"], found["finished"], found["workers"][0]["task"]) == (10, 2, "toy/a")
    record.on_episode_end(("toy/a", 0), True, "")
    assert wait_until(lambda: (activity.read(tmp_path) or {}).get("finished") == 3, 30)
    record.close()
    assert activity.read(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_was_killed_is_not_taken_for_a_live_one(tmp_path: Path) -> None:
    (tmp_path / activity.NAME).write_text('{"workers": []}')
    assert activity.read(tmp_path) == {"workers": []}
    long_ago = time.time() - 2 * activity.STALE
    os.utime(tmp_path / activity.NAME, (long_ago, long_ago))
    assert activity.read(tmp_path) is None


def test_where_nothing_can_be_written_the_run_goes_on(tmp_path: Path) -> None:
    record = Activity(tmp_path / "nowhere")
    record.on_start(1, 0, 0)
    record.on_reset(("toy/a", 0))
    record.close()


def test_what_is_no_activity_is_none(tmp_path: Path) -> None:
    for text in ("", "[]", "{", "\x00"):
        (tmp_path / activity.NAME).write_text(text)
        assert activity.read(tmp_path) is None
