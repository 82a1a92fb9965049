"""What a reader can do with an episode, as commands to copy."""

from __future__ import annotations

import shlex
from pathlib import Path

from intercode.runs import cli_hints
from intercode.runs.episode_record import Key
from intercode.runs.manifest import Manifest
from intercode.runs.trust import runs_code


def commands(folder: Path, manifest: Manifest, key: Key, program: str) -> dict[str, str]:
    """Return how to show, replay, verify and play on from the episode *key* of the run in *folder*.

    `K` is a turn's number.
    """
    task, repeat = key
    if "read" in manifest.machine:  # a file of another program: there is nothing here that it could be played on
        return {}
    name = f"{task}:{repeat}" if manifest.settings.repeat > 1 or repeat else task
    replay = cli_hints.replay_command(folder, manifest.settings, task, program=program)
    unsafe = ["--i-know-this-is-unsafe"] if runs_code(manifest.settings) else []
    play = shlex.join([program, "play", name, "--from", str(folder), *unsafe])
    return {
        "show": cli_hints.show_command(folder, name, program=program),
        "replay": replay,
        "verify": f"{replay} --verify",
        "play": f"{play} --turn K",
    }
