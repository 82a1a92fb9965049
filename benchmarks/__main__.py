"""`make bench`: every figure that the project promises, in one run, side by side. Writes benchmarks.json."""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import (
    bash_world,
    branches,
    ctf_world,
    embedded,
    file_tree,
    model_turns,
    own_time,
    processes,
    python_world,
    reports,
    sql_report,
    swe_world,
    timing,
    upper_layers,
)
from benchmarks.bare_bash import BareBash
from benchmarks.docker_image import docker_image
from benchmarks.docker_published import DockerPublished
from benchmarks.embedded import Ours
from benchmarks.peers import docker_report
from benchmarks.peers import report as peers
from intercode import datasets
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images.distribution import DistributionLayer
from intercode_sandbox.testing.docker_engine import DockerEngine, NoDockerEngine
from intercode_sandbox.util import paths

PLAIN = ("echo hi",) * 5
AT_ONCE = (1, 8, 32)
WORKERS = (1, 2, 4)
console = Console(stderr=True, width=None if sys.stderr.isatty() else 120)


def main() -> None:
    """Run the parts that were asked for and print their tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--seconds", type=float, default=40.0, help="for each measurement that takes turns")
    parser.add_argument("--episodes", type=int, default=10_000, help="for the growth of memory")
    parser.add_argument("--no-docker", action="store_true", help="leave out what needs an engine")
    parts = ("bash", "upper", "peers", "own", "processes", "sql", "python", "ctf", "branches", "models")
    parser.add_argument("--only", choices=parts, help="one part alone")
    parser.add_argument("--out", type=Path, default=Path("benchmarks.json"))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the private Docker engine is cleared up
    figures: dict[str, Any] = {"machine": machine()}
    if options.only in (None, "bash"):
        figures |= bash(options)
    if options.only in (None, "upper"):
        figures |= upper_layers.beside_bare_bash(console, options.seconds)
    if options.only in (None, "peers"):
        figures |= {"peers": beside_peers(options)}
    if options.only in (None, "own"):
        figures |= own_time.report(console)
    if options.only in (None, "processes"):
        figures |= processes.report(console)
    if options.only in (None, "sql"):
        figures |= sql_report.sql(console, options.seconds)
    if options.only in (None, "python"):
        figures |= python()
    if options.only in (None, "ctf"):
        figures |= ctf()
    if options.only in (None, "branches"):
        figures |= going_back()
    if options.only in (None, "models"):
        figures |= experiments(options.episodes)
    options.out.write_text(json.dumps(figures, indent=1) + "\n")
    console.print(f"all figures: {options.out}")


def bash(options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of sandboxes and the Bash world."""
    with ExitStack() as stack:
        sandbox = stack.enter_context(EmbeddedSandbox(progress=console.print))
        base = root_file_system(sandbox)
        image = embedded.image(base)
        docker = {} if options.no_docker else docker_sides(stack, base, image)
        beside = side_by_side(sandbox, image, docker, options.seconds)
        return beside | alone(sandbox, image, options.episodes)


def beside_peers(options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of what users would pick instead."""
    with EmbeddedSandbox(progress=console.print) as sandbox:
        found = peers.side_by_side(console, sandbox, options.seconds)
        if not options.no_docker:
            base = root_file_system(sandbox, "python3")
            found |= docker_report.side_by_side(console, sandbox, base, options.seconds)
    return found


def machine() -> dict[str, object]:
    """Return what the figures were measured on."""
    return {
        "kernel": platform.release().partition("-")[0],
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
    }


def root_file_system(sandbox: EmbeddedSandbox, *packages: str) -> Path:
    """Return a small Debian with git and *packages*, as a tar: the same for all designs.

    Made once, kept in the cache.
    """
    layer = DistributionLayer("bookworm", packages=("git", *packages), recommends=False)
    archive = sandbox.store.root.parent / "benchmarks" / f"{layer.key}.tar"
    if not archive.exists():
        console.print("making a root file system (once, half a minute) …")
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=archive.parent, delete=False) as made:
            subprocess.run(layer.command(), stdout=made, stderr=subprocess.DEVNULL, check=True)
        Path(made.name).replace(archive)
    return archive


def docker_sides(stack: ExitStack, base: Path, image: Any) -> dict[str, Sequence[timing.Design]]:
    """Workers of the published way (a pair of containers each) and of our docker sandbox; none without an engine."""
    most = range(max(AT_ONCE))
    try:
        engine = stack.enter_context(DockerEngine())
        console.print(f"Docker: {engine.describe()}; starting {max(AT_ONCE)} pairs of containers …")
        published = stack.enter_context(docker_image(engine, base))
    except NoDockerEngine as reason:
        console.print(f"no Docker engine, so nothing to compare with: {reason}")
        return {}
    published_sides = [stack.enter_context(DockerPublished(engine, published)) for _ in most]
    sandbox = stack.enter_context(DockerSandbox(engine=engine.url, ahead=2, progress=console.print))
    sandbox.start(image).close()
    name = "intercode, docker"
    return {"docker, published way": published_sides, name: [Ours(sandbox, image, name) for _ in most]}


def side_by_side(
    sandbox: EmbeddedSandbox, image: Any, docker: Mapping[str, Sequence[timing.Design]], seconds: float
) -> dict[str, Any]:
    """Return the designs in turns, episode by episode; then many at once, one design after the other."""
    most = range(max(AT_ONCE))
    ours, bare = [Ours(sandbox, image) for _ in most], [BareBash() for _ in most]
    sides: dict[str, Sequence[timing.Design]] = {"intercode, embedded": ours, "bare bash": bare, **docker}
    designs = [workers[0] for workers in sides.values()]
    found: dict[str, Any] = {}
    for name, commands in (("five tasks' commands", file_tree.COMMANDS), ("five times `echo hi`", PLAIN)):
        found[name] = timing.interleave(designs, rounds=1000, seconds=seconds, commands=commands)
        show(f"{name}: ms, median / minimum", found[name])
        at_once = many_at_once(sides, seconds / 4, commands)
        found[f"{name}, at once"] = at_once
        table = Table("episodes per second", *map(str, AT_ONCE), title=f"{name}: many at once")
        for side, rates in at_once.items():
            table.add_row(side, *(f"{rates[str(count)]['episodes_per_second']:.1f}" for count in AT_ONCE))
        console.print(table)
    return found


def many_at_once(
    sides: Mapping[str, Sequence[timing.Design]], seconds: float, commands: Sequence[str]
) -> dict[str, dict[str, timing.Figures]]:
    """Return each design with 1, 8 and 32 workers, the designs in turns for each number of workers."""
    found: dict[str, dict[str, timing.Figures]] = {side: {} for side in sides}
    for count in AT_ONCE:
        for side, workers in sides.items():
            found[side][str(count)] = timing.throughput(workers[:count], seconds=seconds, commands=commands)
    return found


def alone(sandbox: EmbeddedSandbox, image: Any, episodes: int) -> dict[str, Any]:
    """Return what only we have."""
    found: dict[str, Any] = {}
    tasks = bash_world.published_tasks()
    if tasks:
        found["a scored NL2Bash episode"] = bash_world.scored_episodes(sandbox, *tasks)
        show(
            "a scored NL2Bash episode (oracle; both scorings): ms, median / minimum",
            {"oracle": found["a scored NL2Bash episode"]},
        )
    found["software engineering"] = swe_world.scored_episodes(sandbox)
    show("a scored fix of a starter task (oracle): ms, median / minimum", found["software engineering"])
    for files in (10, 1000):
        found[f"snapshot, {files} files"] = bash_world.snapshots(sandbox, image, files)
    show(
        "snapshots: ms, median / minimum", {name: value for name, value in found.items() if name.startswith("snapshot")}
    )
    found["memory"] = bash_world.memory_of_live_sessions(sandbox, image)
    found["growth"] = bash_world.growth(sandbox, image, episodes)
    found["help"] = bash_world.help_seconds()
    table = Table("what", "figure", title="memory and start-up")
    table.add_row("a further live session", f"{found['memory']['megabytes_each']:.2f} MB")
    table.add_row(
        f"growth over {episodes} episodes",
        f"{found['growth']['megabytes_grown']:.1f} MB, {found['growth']['descriptors_grown']} descriptors",
    )
    table.add_row("intercode --help", f"{found['help']['median']:.0f} ms")
    console.print(table)
    return found


def python() -> dict[str, Any]:
    """Return the Python world: single steps, and MBPP where its file is."""
    with EmbeddedSandbox(progress=console.print) as sandbox:
        steps = python_world.single_steps(sandbox)
        show("the Python world: ms, median / minimum", {"starter": steps})
        rates, spent = scored_mbpp(sandbox) if (paths.data() / "mbpp").is_dir() else ([], 0.0)
        return {"python steps": steps, "scored MBPP episodes": rates, "ms of a processor for each": spent}


def ctf() -> dict[str, Any]:
    """Return the world of capture the flag: our own challenges, with and without a service."""
    with EmbeddedSandbox(progress=console.print) as sandbox:
        parts = ctf_world.episodes(sandbox)
        show("capture the flag: ms, median / minimum", parts)
        rates = [ctf_world.throughput(sandbox, workers) for workers in WORKERS]
    table = Table("at once", "episodes a second", title="capture the flag: whole episodes")
    for rate in rates:
        table.add_row(str(rate["workers"]), f"{rate['episodes_per_second']:.1f}")
    console.print(table)
    return {"capture the flag": parts, "capture the flag, at once": rates}


def going_back() -> dict[str, Any]:
    """Snapshots, going back to them, and forks of small states, in every world."""
    with EmbeddedSandbox(progress=console.print) as sandbox:
        found = branches.costs(sandbox)
    show("snapshots, restores, forks of small states: ms, median / minimum", found)
    return {"branches": found}


def scored_mbpp(sandbox: EmbeddedSandbox) -> tuple[list[timing.Figures], float]:
    """Time every second of MBPP's first 500 tasks but 122, whose gold takes four seconds."""
    mbpp = datasets.load("mbpp")
    tasks = [task for task in mbpp if task.id != "mbpp/122"][:500:2]
    rates = [python_world.scored_episodes(sandbox, mbpp, tasks, workers, "debian") for workers in WORKERS]
    table = Table("at once", "episodes a second", title="scored MBPP episodes (oracle; both scorings)")
    for rate in rates:
        table.add_row(str(rate["workers"]), f"{rate['episodes_per_second']:.1f}")
    console.print(table)
    spent = python_world.processor_time(mbpp, tasks[:110], "debian")
    console.print(f"each takes {spent:.0f} ms of a processor; the load of this machine is {os.getloadavg()[0]:.1f}")
    return rates, spent


def experiments(episodes: int) -> dict[str, Any]:
    """Return what is ours of turns with a model, and how long a report takes."""
    turns, made = model_turns.measured(episodes), reports.measured()
    table = Table("what", "figure", title="models and reports")
    for parallel, milliseconds in turns["cpu_ms_per_turn"].items():
        table.add_row(f"our CPU for a turn, {parallel}", f"{milliseconds:.2f} ms")
    shares = [turns["at_once"][name] for name in ("share_of_ideal", "best_share_of_ideal")]
    table.add_row("64 at once, 200 ms an answer: of the ideal", "{:.1%} (median), {:.1%} (best)".format(*shares))
    for when, megabytes in turns["memory"].items():
        table.add_row(f"memory {when} episodes", f"{megabytes:.1f} MB")
    for what, seconds in made.items():
        table.add_row(f"intercode report, {what}", f"{seconds['median']:.2f} s, {seconds['cpu']:.2f} s of CPU")
    console.print(table)
    return {"models": turns, "reports": made}


def show(title: str, designs: dict[str, dict[str, timing.Figures]]) -> None:
    """One table: designs down, parts across."""
    parts = list(next(iter(designs.values())))
    table = Table("", *parts, title=title)
    for name, figures in designs.items():
        table.add_row(name, *(f"{figures[part]['median']:.2f} / {figures[part]['minimum']:.2f}" for part in parts))
    console.print(table)


if __name__ == "__main__":
    main()
