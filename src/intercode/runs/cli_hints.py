"""Commands that are told to people: complete, and quoted, so that they can be copied as they stand."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from intercode.runs.settings import Settings
from intercode.runs.trust import options_to_repeat, runs_code


def resume_command(path: Path, settings: Settings, *more: str, program: str = "intercode") -> str:
    """Return what goes on with the run in *path*, which was begun with *settings*; *more* are further options."""
    return shlex.join([program, "run", "--resume", "--out", str(path), *options_to_repeat(settings), *more])


def show_command(path: Path, episode: str, *, program: str = "intercode") -> str:
    """Return what shows one *episode* of the run in *path*."""
    return shlex.join([program, "show", str(path), episode])


def describe_command(word: str, *paths: Path, program: str = "intercode") -> str:
    """Return the command *word* of the runs in *paths*."""
    return shlex.join([program, word, *map(str, paths)])


def play_command(task: str, dataset: str, options: Sequence[str], *more: str, program: str = "intercode") -> str:
    """Return what lets a person play a *task* of a *dataset* ("": the usual), loaded with *options* (`name=value`)."""
    chosen = ["--dataset", dataset] if dataset else []
    given = [word for option in options for word in ("--dataset-option", option)]
    return shlex.join([program, "play", task, *chosen, *given, *more])


def replay_command(path: Path, settings: Settings, task: str, *, program: str = "intercode") -> str:
    """Return what plays a *task* of the run in *path* again, as it was played with *settings*."""
    unsafe = ["--i-know-this-is-unsafe"] if runs_code(settings) else []
    return shlex.join([program, "replay", str(path), "--tasks", task, *unsafe])
