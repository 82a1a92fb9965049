"""What is known of golds is so: void ones are void on a real database, and every id is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercode.datasets.annotations import all_annotations
from intercode.datasets.nl2bash.dataset import NL2BashDataset
from intercode.datasets.nl2sh_alfa.dataset import Nl2shAlfaDataset
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.scoring.question import is_void

SCORING = Path(__file__).parents[2] / "docs" / "scoring.md"


def test_every_id_is_a_task_and_has_one_reason(published: Path) -> None:
    issues, tasks = all_annotations(), [*SpiderDataset(), *NL2BashDataset(), *Nl2shAlfaDataset()]
    ids = {task.id for task in tasks}
    assert issues.wrong.keys() | issues.ambiguous.keys() | issues.void <= ids
    assert not issues.wrong.keys() & issues.ambiguous.keys()
    assert all([*issues.wrong.values(), *issues.ambiguous.values()])
    assert issues.left_out() == frozenset()
    assert issues.left_out(void=True, wrong=True) == issues.void | issues.wrong.keys()
    assert all(task.known_issue == issues.known_issue(task.id) for task in tasks)
    assert {issues.known_issue(name) for name in ("spider/30", "nl2bash/fs1/3")} == {"wrong"}
    assert [issues.known_issue(name) for name in ("spider/9", "spider/21", "spider/0")] == ["void", "ambiguous", ""]


def test_the_void_golds_are_those_that_show_nothing(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path))
    dataset, void = SpiderDataset(), set[str]()
    with SqliteDatabase() as database:
        for task in dataset:
            with database.open(dataset.source(task), dataset.database(task)) as session:
                if is_void(session.run(task.gold or "").rows or ()):
                    void.add(task.id)
    assert void == {task for task in all_annotations().void if task.startswith("spider/")}


@pytest.mark.parametrize("dataset", ["spider", "nl2bash", "nl2sh-alfa"])
def test_all_of_it_is_in_the_documentation(dataset: str) -> None:
    """Reasons word for word, ids as numbers of Spider's tasks, and as `file system:task` of the others."""
    text, issues = SCORING.read_text(encoding="utf-8"), all_annotations()
    for reasons in (issues.wrong, issues.ambiguous):
        by_reason: dict[str, list[str]] = {}
        for task, reason in reasons.items():
            if task.startswith(f"{dataset}/"):
                by_reason.setdefault(reason, []).append(short(task))
        for reason, tasks in by_reason.items():
            assert f"| {' '.join(tasks)} | {reason} |" in text
    void = sorted((task for task in issues.void if task.startswith(f"{dataset}/")), key=numbers)
    assert " ".join(map(short, void)) in " ".join(text.split())


def short(task: str) -> str:
    """`spider/30` → `30`, `nl2bash/fs1/3` → `1:3`."""
    return task.partition("/")[2].removeprefix("fs").replace("/", ":")


def numbers(task: str) -> list[int]:
    return [int(part) for part in short(task).split(":")]
