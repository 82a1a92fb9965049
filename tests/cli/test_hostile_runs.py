"""Runs that anybody may have written: nothing in them steers a terminal, and none ends in a trace."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from copy import deepcopy
from itertools import count
from json import dumps, loads
from pathlib import Path
from time import process_time
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import stored_runs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from terminal import in_process, intercode

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31mred\r\x08\x7f\u202e[bold][/x][link=http://a]"
"""Sets a window's title, clears the screen, goes back; and what Rich would read as markup."""

DRAWS = re.compile(r"\x1b\[[0-9;]*m")
"""Rich's own colours, where it draws them."""

STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

COUNTER = count()

MOST = settings().max_examples // 4
"""Examples: for each, some thirty commands are run."""

FORMATS = ("atif", "harbor", "openai", "sharegpt", "inspect", "parquet")


def commands(run: Path, scratch: Path, *, quick: bool = False) -> Iterator[list[str | Path]]:
    """Every command that reads a run, each with all of its forms; what they write goes to *scratch*.

    *quick*: without plots and the writing of other programs' formats, which take a second each.
    """
    yield ["show", run]
    yield ["show", run, "--json"]
    for task in ("a", "a:1", "b", "toy/a", "nowhere"):
        yield ["show", run, task, "--whole"]
        yield ["show", run, task, "--json"]
    for word in ("report", "errors"):
        for form in ("table", "markdown", "csv"):
            yield [word, run, "--format", form]
        yield [word, run, "--json"]
    twin = run.with_name(f"{run.name}-twin")  # two names of one run are told apart from two runs
    shutil.copytree(run, twin, dirs_exist_ok=True)
    yield ["report", run, twin, "--scoring", "paper"]
    if not quick:
        yield ["report", run, twin, "--out", scratch / "report"]
    for form in ("table", "csv"):
        yield ["compare", run, twin, "--format", form]
    for form in FORMATS[: 3 if quick else None]:
        yield ["export", run, "--format", form, "--out", scratch / f"{form}{next(COUNTER)}.eval"]
    yield ["demos", run, "--out", scratch / f"demos{next(COUNTER)}.jsonl"]
    yield ["run", "--resume", "--out", run]
    yield ["replay", run]
    yield ["replay", "--verify", run]
    yield ["run", "--agent", "replay", "--agent-option", f"file={run}", "--tasks", "list-confs", "--out", run / "new"]


def every(run: Path, scratch: Path) -> Iterator[tuple[list[str | Path], int, str, str]]:
    for command in commands(run, scratch):
        yield command, *in_process(*command)


def planted(value: Any, at: str = "") -> Any:
    """*value* with escapes in all texts, names of fields apart; what has to be one of a few words stays one."""
    if isinstance(value, str):
        return value if at in WORDS else value + ESCAPES
    if isinstance(value, list):
        return [planted(each, at) for each in value]
    if isinstance(value, dict):
        free = at in ("images", "data", "machine", "phases", "parts", "dataset_options", "model_options", "raw")
        return {key + ESCAPES * free: planted(each, key) for key, each in value.items()}
    return value


WORDS = ("kind", "status", "role", "scoring", "shell", "world", "sandbox", "arguments")
"""Fields whose values are checked, or say where a command goes; `world` in an episode is free, and planted below."""


def test_nothing_in_a_stored_run_steers_the_terminal(tmp_path: Path) -> None:
    episodes = planted(stored_runs.episodes())
    for each in episodes:
        each["task"]["world"] += ESCAPES
    run = stored_runs.write(tmp_path / "run", planted(stored_runs.manifest()), episodes)
    seen = 0
    for command, status, out, err in every(run, tmp_path / "scratch"):
        assert status in (0, 1, 2), (command, err)
        assert not STEERS.search(out), (command, STEERS.findall(out))
        assert not STEERS.search(err), (command, err)
        seen += "owned" in out + err
    assert seen > 15  # else it would be no wonder


def test_nothing_steers_it_where_colours_are_drawn_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    run = stored_runs.write(tmp_path / "run", stored_runs.manifest(), planted(stored_runs.episodes()))
    coloured = 0
    for command, _, out, err in every(run, tmp_path / "scratch"):
        plain = DRAWS.sub("", out + err)
        coloured += plain != out + err
        assert not STEERS.search(plain), command
    assert coloured >= 5


def test_a_replay_that_differs_in_everything_steers_nothing_either(finished: Path, tmp_path: Path) -> None:
    """It is played: the names of its tasks and of what it ran on are as they were, all else is planted."""
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    lines = [loads(line) for line in (run / "episodes.jsonl").read_text().splitlines()]
    hostile = [planted(line) | {"task": planted(line["task"]) | {"id": line["task"]["id"]}} for line in lines]
    (run / "episodes.jsonl").write_text("".join(dumps(line) + "\n" for line in hostile))
    for more in ([], ["--verify"], ["--json"]):
        done = intercode("replay", run, *more, "--differences", "9")
        assert "Traceback" not in done.stderr
        assert more or "owned" in done.stdout, done.stderr
        assert not STEERS.search(done.stdout + done.stderr)


@pytest.mark.parametrize("folder", ["x\x1b]0;owned\x07y", "[/x]", "a$\\no$", "\udcff"])
def test_a_runs_own_folder_may_be_called_anything(tmp_path: Path, folder: str) -> None:
    run = stored_runs.write(tmp_path / folder, stored_runs.manifest(), stored_runs.episodes())
    for command, status, out, err in every(run, tmp_path / "scratch"):
        assert status in (0, 1, 2), (command, err)
        assert not STEERS.search(out + err), command


HOSTILE: list[Any] = [
    *(None, True, -1, 0, 2**70, 10**30, 1e308, float("nan"), float("inf"), "", "\ud800", "\0", "a/../..", "x" * 300),
    *([], {}, [[]], [None], {"a": None}, "error", "skipped", "nothing"),
]

DEEP = ["[" * 500 + "]" * 500, "[" * 100_000, '{"a":' * 100_000, '{"a":' * 150 + "1" + "}" * 150]
"""JSON that no program can read, and some that can be read and not be written again."""


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """The path of everything in *value*."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield (key,)
        yield from ((key, *rest) for rest in places(each))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """*value* with *new* at *path*, or without what is there."""
    found = deepcopy(value)
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    if new is Ellipsis:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return found


MANIFEST, EPISODES = stored_runs.manifest(), stored_runs.episodes()
QUICK = ("show", "report", "errors", "compare", "export", "demos", "replay", "run")


def check(manifest: object, lines: list[object], folder: Path, *, words: tuple[str, ...] = QUICK) -> None:
    """No command ends in a trace, and what is said of a file names it."""
    shutil.rmtree(folder, ignore_errors=True)
    run = stored_runs.write(folder / "run", manifest, lines)
    for command in commands(run, folder / "scratch", quick=True):
        if command[0] in words:
            status, out, err = in_process(*command)
            assert status in (0, 1, 2), (command, err)
            assert not STEERS.search(out + err), command
            if "is not a run's manifest" in err or "not an episode" in err:
                assert re.search(r"manifest\.json|episodes\.jsonl, line \d", err), err


values = st.sampled_from(HOSTILE) | st.just(...)


@settings(max_examples=MOST, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(list(places(EPISODES[0]))), values, st.integers(0, 2))
def test_any_episode_is_shown_or_refused(tmp_path: Path, place: tuple[Any, ...], new: Any, line: int) -> None:
    episodes: list[object] = list(EPISODES)
    try:
        episodes[line] = changed(episodes[line], place, new)
    except (KeyError, IndexError, TypeError):  # a broken episode has fewer parts
        episodes[0] = changed(episodes[0], place, new)
    check(MANIFEST, episodes, tmp_path / "fuzzed", words=("show", "report", "errors", "compare", "export", "demos"))


@settings(max_examples=MOST, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(list(places(MANIFEST))), values)
def test_any_manifest_is_believed_or_refused(tmp_path: Path, place: tuple[Any, ...], new: Any) -> None:
    check(changed(MANIFEST, place, new), list(EPISODES), tmp_path / "fuzzed")


@pytest.mark.parametrize("deep", range(len(DEEP)))
def test_json_that_is_nested_too_deeply_is_refused_with_its_place(tmp_path: Path, deep: int) -> None:
    for place in (("raw",), ("turns", 0, "calls", 0, "reply", "raw"), ("task",)):
        data = deepcopy(EPISODES[0])
        line = dumps(changed(data, place, "\u2603")).replace(dumps("\u2603"), DEEP[deep])
        run = stored_runs.write(tmp_path / "run", MANIFEST, [EPISODES[0], line])
        for command in commands(run, tmp_path / "scratch", quick=True):
            status, _, err = in_process(*command)
            assert status in (0, 2), (command, err)
            named = "line 2" in err or "no episode" in err or command[0] in ("replay", "run")
            assert status == 0 or named, (command, err)
    for name in ("dataset_options", "agent_options"):
        text = dumps(changed(MANIFEST, ("settings", name), "\u2603")).replace(dumps("\u2603"), DEEP[deep])
        run = stored_runs.write(tmp_path / "run", text, list(EPISODES))
        for command in commands(run, tmp_path / "scratch", quick=True):
            status, _, err = in_process(*command)
            assert status == 2, command
            assert "manifest.json" in err or "--agent" in command, (command, err)


def test_tasks_of_ten_megabytes_are_listed_soon(tmp_path: Path) -> None:
    """Only their beginnings are drawn; to wrap all of it took half a minute of the processor's time."""
    texts = ["word " * 2_000_000, "x" * 10_000_000, "a b\n" * 2_500_000]
    columns = {"query": texts, "gold": texts, "category": ["long " * 1000] * 3}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "tasks.parquet")
    begun = process_time()
    status, out, _ = in_process("tasks", tmp_path / "tasks.parquet", "--gold")
    assert process_time() - begun < 15
    assert (status, len(out) < 100_000) == (0, True)
    assert "and 9998000 more characters" in " ".join(out.split())


def test_an_episode_of_ten_megabytes_is_shown_soon(tmp_path: Path) -> None:
    long = "word " * 2_000_000
    data = changed(EPISODES[0], ("turns", 0, "observation", "text"), long)
    for place in (("task", "query"), ("error",), ("task", "difficulty"), ("turns", 0, "action", "text")):
        data = changed(data, place, long)
    run = stored_runs.write(tmp_path / "run", MANIFEST, [data])
    begun = process_time()
    for word, *more in (["show"], ["show", "a"], ["report"]):
        status, out, _ = in_process(word, run, *more)
        assert (status, len(out) < 200_000) == (0, True)
    assert process_time() - begun < 20
