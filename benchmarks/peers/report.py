"""Our sandbox beside what else runs commands, in one interleaved run, and our Python world beside OpenEnv's."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import embedded, file_tree, timing
from benchmarks.bare_bash import BareBash
from benchmarks.embedded import Ours
from benchmarks.peers.bubblewrap import BubblewrapEach
from benchmarks.peers.remote import PYTHON, RemoteDesign
from intercode.types import Action
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.datasets.starter_python import StarterPythonDataset
from intercode_sandbox.embedded import EmbeddedSandbox

BASH = (("five tasks' commands", file_tree.COMMANDS), ("five times `echo hi`", ("echo hi",) * 5))
PYTHON_CODE = ("x = 1 + 1", "print(x)", "print([n * n for n in range(10)])", "y = {'a': x}", "print(y)")
PARTS = ("reset", "command", "diff", "close", "episode")
MISSING = "not measured, as .venv/benchmarks is not there (make .venv/benchmarks/ready): SWE-ReX, Inspect, OpenEnv"


class OurPython:
    """Our Python world as a design: its code runs in a sandbox, and its state is told at every step."""

    name = "intercode, Python"

    def __init__(self, sandbox: EmbeddedSandbox) -> None:
        self._env = PythonEnv(StarterPythonDataset(), sandbox=sandbox, turns=100)

    def reset(self) -> None:
        self._env.start_episode(self._env.dataset[0])

    def run(self, code: str) -> str:
        return self._env.take_action(Action("execute", code)).observation.text

    def diff(self) -> None:
        """Told at every step."""

    def close(self) -> None:
        self._env.end_episode()

    def end(self) -> None:
        """Close the environment."""
        self._env.close()


def side_by_side(console: Console, sandbox: EmbeddedSandbox, seconds: float) -> dict[str, Any]:
    """Figures by commands, design and part, without containers. What is not installed is named, and left out."""
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        designs: list[timing.Design] = [Ours(sandbox, embedded.image(None)), BareBash()]
        if shutil.which("bwrap"):
            designs.append(BubblewrapEach())
        pythons: list[timing.Design] = []
        if PYTHON.exists():
            remote = (("swe_rex", "SWE-ReX, local runtime"), ("inspect_local", "Inspect, local sandbox"))
            designs += [_remote(stack, *each) for each in remote]
            ours = OurPython(sandbox)
            stack.callback(ours.end)
            pythons = [ours, _remote(stack, "openenv_python", "OpenEnv, PyExecutor")]
        else:
            console.print(MISSING)
        for name, commands in BASH:
            found[name] = timing.interleave(designs, rounds=1000, seconds=seconds, commands=commands)
        if pythons:
            found["Python"] = timing.interleave(pythons, rounds=1000, seconds=seconds / 4, commands=PYTHON_CODE)
    for name, figures in found.items():
        show(console, name, figures)
    return found


def _remote(stack: ExitStack, module: str, name: str) -> RemoteDesign:
    design = RemoteDesign(module, name)
    stack.callback(design.end)
    return design


def show(console: Console, title: str, figures: dict[str, dict[str, timing.Figures]]) -> None:
    """Median and least, how many of our episodes' times an episode takes, and who is the fastest at each part."""
    ours = next(iter(figures.values()))["episode"]["median"]
    table = Table("ms, median / minimum", *PARTS, "times ours", title=title)
    for name, parts in figures.items():
        cells = [f"{parts[part]['median']:.2f} / {parts[part]['minimum']:.2f}" for part in PARTS]
        table.add_row(name, *cells, f"{parts['episode']['median'] / ours:.2f}")
    table.add_row("fastest", *(fastest(figures, part) for part in PARTS))
    console.print(table)


def fastest(figures: dict[str, dict[str, timing.Figures]], part: str) -> str:
    """Return who has the least median at *part*."""
    return min(figures, key=lambda name: figures[name][part]["median"])
