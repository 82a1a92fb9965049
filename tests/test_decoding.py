"""Programs whose threads read outside data at once, each for the first time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from intercode.types import Action, Observation, TaskView, Trajectory, Turn
from intercode.types.trajectories import dumps

READ_AT_ONCE = """
import sys, threading
from intercode.types.trajectories import read_line

def read():
    begin.wait()
    episodes.append(read_line(line))

sys.setswitchinterval(1e-6)
line, begin, episodes = open(sys.argv[1], "rb").read(), threading.Barrier(6), []
threads = [threading.Thread(target=read) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(episodes))
"""


def test_threads_may_read_their_first_episode_at_once(tmp_path: Path) -> None:
    """msgspec alone ended 9 in 10 of these programs by a signal."""
    episode = Trajectory(TaskView("toy/1", "?", "toy"), "toy", "submitted", (Turn(Action("submit"), Observation("")),))
    (tmp_path / "line").write_text(dumps(episode))
    words = [sys.executable, "-c", READ_AT_ONCE, str(tmp_path / "line")]
    programs = [subprocess.run(words, capture_output=True, text=True, check=False) for _ in range(8)]
    assert [(program.returncode, program.stdout, program.stderr) for program in programs] == [(0, "6\n", "")] * 8
