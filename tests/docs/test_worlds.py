"""The pages about worlds: their figures are those of the data sets and of the script that counts mistakes."""

from __future__ import annotations

import ast
import re
import runpy
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from intercode import datasets, world_specs
from intercode.audit.replay.published.recorded_turns import RecordedTurn
from intercode.audit.replay.published.recordings import RecordedEpisode
from intercode.report.statistics import wilson

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs/worlds").glob("*.md"))
SCRIPT = runpy.run_path(str(ROOT / "scripts/recorded_mistakes.py"))


def counts(world: str, *turns: RecordedTurn, success: bool = False) -> Counter[str]:
    """What the script counts in one episode of these turns."""
    episode = RecordedEpisode("nl2bash/fs1", 0, "?", turns, success)
    found: Counter[str] = SCRIPT["count"](world, [episode])
    return found


def run(code: str, observation: str, reward: float = 0.0) -> RecordedTurn:
    return RecordedTurn(code, "run", code, observation, reward)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_counts_the_starter_tasks_as_they_are(page: Path) -> None:
    rows = re.findall(r"^\| (easy|medium|hard|extra) \| (\d+) \|", page.read_text(), re.MULTILINE)
    tasks = datasets.load(world_specs.find(page.stem).starter)
    assert {name: int(number) for name, number in rows} == Counter(task.difficulty for task in tasks)


@pytest.mark.parametrize(("world", "module"), [("bash", "starter"), ("sql", "starter_sql"), ("swe", "starter_swe")])
def test_a_page_tells_how_the_script_does(world: str, module: str) -> None:
    """By the tests of that data set, which play the script and list the tasks that it fails."""
    tests = ast.parse((ROOT / f"tests/datasets/test_{module}.py").read_text())
    assigned = {ast.unparse(each.targets[0]): each.value for each in tests.body if isinstance(each, ast.Assign)}
    wrong: set[str] = ast.literal_eval(assigned["ENDS_WRONG"])
    page = (ROOT / f"docs/worlds/{world}.md").read_text()
    rows = re.findall(r"^\| (easy|medium|hard|extra) \| \d+ \| (\d+) \|", page, re.MULTILINE)
    tasks = list(datasets.load(world_specs.find(world).starter))
    solved = [task.difficulty for task in tasks if task.id not in wrong]
    assert {name: int(number) for name, number in rows} == Counter(solved)
    rate, interval = len(solved) / len(tasks), wilson(len(solved), len(tasks))
    percent = [f"{100 * each:.1f}" for each in (rate, interval.low, interval.high)]
    told = "{} of {} ({} %, 95 % interval {} to {})".format(len(solved), len(tasks), *percent)
    assert told in " ".join(page.split())


def test_the_pages_show_the_mistakes_that_the_script_counts(published_data: Path) -> None:
    recordings = [SCRIPT["read"](path) for path in sorted(published_data.glob("recorded/*/*.json.gz"))]
    for world in SCRIPT["MISTAKES"]:
        table: Any = SCRIPT["table"](world, SCRIPT["by_harness"](recordings, world))
        assert table in (ROOT / f"docs/worlds/{world}.md").read_text(), world


def test_the_first_pattern_that_matches_counts() -> None:
    turns = run("BASH ls", "BASH: command not found"), run("ls x", "ls: cannot access 'x': No such file")
    found = counts("bash", *turns)
    assert (found["label `BASH` run"], found["command not found"], found["missing file or folder"]) == (1, 0, 1)


def test_a_turn_that_earns_everything_makes_no_mistake() -> None:
    assert counts("bash", run("touch x", "", 1.0), success=True)["no output"] == 0
    assert counts("bash", run("touch x", "", 0.5))["no output"] == 1


def test_code_that_ran_before_is_repeated() -> None:
    assert (
        counts("sql", run("SELECT 1", "[(1,)]"), run("SELECT 2", "[(2,)]"), run("SELECT 1", "[(1,)]"))["repeated"] == 1
    )


def test_submitting_is_an_ending_and_no_turn() -> None:
    found = counts("ctf", run("ls", "x"), RecordedTurn("submit a", "submit", "a"), RecordedTurn("?", "nothing"))
    assert (found["turns"], found["no code"], found["submitted, not solved"], found["neither"]) == (2, 1, 1, 0)


def test_pictures_are_sound_xml_for_light_and_dark() -> None:
    for name in ("architecture", *(f"world-{page.stem}" for page in PAGES)):
        text = (ROOT / f"docs/pictures/{name}.svg").read_text()
        assert ElementTree.fromstring(text).get("aria-label")
        assert "prefers-color-scheme: dark" in text
