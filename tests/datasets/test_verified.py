"""Verified sets: published tasks with changes that say why, and worlds with what is planted."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from intercode import datasets, registry
from intercode.datasets.base import Dataset, ListedDataset
from intercode.datasets.databases.extended_dump import with_statements
from intercode.datasets.nl2bash import checks
from intercode.datasets.nl2bash.dataset import NL2BashDataset
from intercode.datasets.nl2bash.verified import FOLDER, NL2BashVerifiedDataset
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.datasets.spider.verified import SpiderVerifiedDataset
from intercode.datasets.verified import TaskChange, VerifiedDataset, changes_in
from intercode.datasets.verified.planted_files import files_layer, rows
from intercode.errors import BadDataError, UnknownNameError
from intercode.rewards.base import EpisodeResult, NoFiles
from intercode.testing.dataset import DatasetContract
from intercode.types import Action, Score, Task
from intercode.worlds.bash import BashEnv
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode_sandbox import images
from intercode_sandbox.sandbox import Change as Difference
from intercode_sandbox.sandbox import Entry, Sandbox

SETS = ("ctf", "mbpp", "nl2bash", "spider")
LINE: dict[str, object] = {"id": "fs1/0", "reason": "the order was open", "golds": ["ls", "find . -maxdepth 1"]}


def write(folder: Path, *lines: dict[str, object]) -> None:
    (folder / "changes.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, lines)))


class NothingDataset(ListedDataset):
    """Called as a published set, and without its tasks."""

    name = "nl2bash"
    _tasks = ()


class TestVerifiedNL2Bash(DatasetContract):
    """It is a data set like others."""

    @pytest.fixture
    def dataset(self, published: Path) -> Dataset:
        return NL2BashVerifiedDataset()


@pytest.mark.parametrize("name", SETS)
def test_it_is_the_published_set_but_for_what_it_says(name: str, published: Path) -> None:
    whole, verified = datasets.load(name), datasets.load(f"{name}-verified")
    assert isinstance(verified, VerifiedDataset)
    assert (verified.world, verified.default_image) == (whole.world, whole.default_image)
    assert verified.default_scoring == "exact"
    tasks = {task.id.partition("/")[2]: task for task in verified}
    assert len(tasks) + len(verified.left_out) == len(whole)
    assert all(verified.left_out.values())
    for before in whole:
        id = before.id.partition("/")[2]
        if id not in verified.changes:
            assert (tasks[id].query, tasks[id].golds, tasks[id].extra) == (before.query, before.golds, before.extra)


def test_every_change_gives_a_reason_and_a_reworded_task_keeps_the_published_request(published: Path) -> None:
    verified, whole = NL2BashVerifiedDataset(), datasets.load("nl2bash")
    assert len(verified.changes) >= 130
    for id, change in verified.changes.items():
        if change.left_out:
            with pytest.raises(UnknownNameError, match="is not in nl2bash-verified: "):
                verified.find(id)
            continue
        task, before = verified.find(id), whole.find(id)
        assert task.extra["reason"] == change.reason
        if change.reworded:
            assert task.extra["published_query"] == before.query != task.query
        else:
            assert task.query == before.query


def test_the_checksum_is_not_that_of_the_published_files(published: Path) -> None:
    assert len({datasets.load(name).checksum for name in ("nl2bash", "nl2bash-verified")}) == 2


def test_a_change_to_a_task_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadDataError, match="which is not a task of nl2bash"):
        VerifiedDataset(NothingDataset(), FOLDER)


def test_golds_replace_the_published_one_or_stand_beside_it() -> None:
    task = Task("nl2bash/fs1/0", "list it", "ls -l", known_issue="wrong")
    replaced = TaskChange(id="fs1/0", reason="r", golds=("ls", "find"), criteria=("any_order",)).on(task)
    assert (replaced.golds, replaced.known_issue) == (("ls", "find"), "")
    assert replaced.criteria.names == ("any_order",)
    beside = TaskChange(id="fs1/0", reason="r", alternative_golds=("ls",)).on(task)
    assert beside.golds == ("ls -l", "ls")


def test_hidden_tests_come_after_the_published_ones() -> None:
    task = Task("mbpp/0", "add", "def f(): ...", world="python", extra={"tests": ["assert f(1)"]})
    assert TaskChange(id="0", reason="r", tests=("assert f(2)",)).on(task).extra["tests"] == [
        "assert f(1)",
        "assert f(2)",
    ]


def test_a_note_and_examples_come_after_the_request() -> None:
    tests = ["assert f(1) == 1, 'no'", " assert f(2)==2 ", "assert f(3) == 3"]
    task = Task("mbpp/0", "Give it back.", "def f(x): return x", world="python", extra={"tests": tests})
    changed = TaskChange(id="0", reason="r", reworded="meaning", note="As it is.", examples=2).on(task)
    assert changed.query == "Give it back. As it is.\n\nFor example:\nf(1) == 1\nf(2) == 2"
    assert changed.extra["published_query"] == "Give it back."
    assert changed.extra["tests"] == tests


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({**LINE, "reason": " "}, "gives no reason"),
        ({"id": "fs1/0", "reason": "r"}, "changes nothing"),
        ({**LINE, "left_out": True}, "left out has no other change"),
        ({**LINE, "query": "list it"}, "`query` or `note`, and `reworded`, go together"),
        ({**LINE, "note": "All of it."}, "`query` or `note`, and `reworded`, go together"),
        ({**LINE, "alternative_golds": ["ls -a"]}, "give one of them"),
        ({**LINE, "golds": ["ls", "ls"]}, "a gold is there twice"),
        ({**LINE, "near_misses": ["ls"]}, "a gold is among the near misses"),
        ({**LINE, "criteria": ["speed"]}, "no criterion is called 'speed'"),
        ({**LINE, "colour": "red"}, "unknown field `colour`"),
        ({**LINE, "files": {"/a": {"age": "a week"}}}, "'a week' is no age: write a number and one of minutes, hours"),
        ({**LINE, "files": {"/a": {"age": "-2 days"}}}, "'-2 days' is no age"),
        ({**LINE, "files": {"/a": {"age": "2 days", "mtime": 5}}}, "a time or an age, not both"),
    ],
)
def test_a_line_that_makes_no_sense_is_refused(line: dict[str, object], said: str, tmp_path: Path) -> None:
    write(tmp_path, line)
    with pytest.raises(BadDataError, match=said):
        changes_in(tmp_path)


def test_a_task_has_one_line(tmp_path: Path) -> None:
    write(tmp_path, LINE, LINE)
    with pytest.raises(BadDataError, match="line 2, fs1/0: the task has a line already"):
        changes_in(tmp_path)


def test_a_check_of_its_own_judges_a_task_in_the_place_of_exact(
    sandbox: Sandbox, published: Path, tmp_path: Path
) -> None:
    write(tmp_path, {"id": "fs1/0", "reason": "the name is free", "check": "made"})
    (tmp_path / "checks.py").write_text(
        "def reward(result):\n"
        "    if result.task.extra.get('check') == 'made':\n"
        "        return any(change.path.endswith('.new') for change in result.changes)\n"
        "    return result.scores['exact']\n"
    )
    dataset = VerifiedDataset(NL2BashDataset(), tmp_path)
    with BashEnv(dataset, sandbox=sandbox, image=images.find("host")) as env:
        paid = []
        for text in ("touch /testbed/any.new", "touch /testbed/any.old"):
            env.start_episode(dataset.find("fs1/0"))
            env.take_action(Action("execute", text))
            scores = env.judge()
            assert scores is not None
            paid.append(scores["exact"].success)
    assert paid == [True, False]


def test_the_quick_check_finds_golds_that_are_not_paid_and_near_misses_that_are(
    sandbox: Sandbox, published: Path
) -> None:
    script = registry.load_file(Path(__file__).parents[2] / "scripts" / "verify_tasks.py")
    dataset = NL2BashVerifiedDataset()
    good = dataset.find("fs2/50")
    bad = replace(good, alternative_golds=("false",), extra={**good.extra, "near_misses": [good.gold]})
    with BashEnv(dataset, sandbox=sandbox, image=images.find("host"), scoring="exact") as env:
        assert list(script.problems_of(env, good)) == []
        assert list(script.problems_of(env, bad)) == ["gold 2 is not paid", f"{good.gold!r} is paid"]
        assert script.alike(env, good) == "1 2"


def test_two_tasks_cannot_plant_different_files_at_one_path() -> None:
    lines = [{**LINE, "id": f"fs1/{text}", "files": {"/testbed/a": {"text": text}}} for text in ("x", "y")]
    found = [msgspec.convert(line, TaskChange) for line in lines]
    with pytest.raises(BadDataError, match="fs1/y plants /testbed/a"):
        files_layer(found, "planted")
    assert files_layer([], "planted") is None


def test_planted_files_are_there_and_committed_and_empty_folders_too(sandbox: Sandbox, published: Path) -> None:
    dataset = NL2BashVerifiedDataset()
    with BashEnv(dataset, sandbox=sandbox, image=images.find("host"), scoring="exact") as env:
        env.start_episode(dataset.find("fs2/6"))
        seen = env.take_action(
            Action("execute", "ls -A /system/folder3/temp/unused; git -C / status --short")
        ).observation
        assert seen.text == "inner\n"
        env.start_episode(dataset.find("fs1/58"))
        seen = env.take_action(Action("execute", "stat -c %a /testbed/dir1/subdir1/sticky.dat")).observation
        assert seen.text == "1553\n"


@pytest.mark.parametrize("id", ["fs1/31", "fs1/32", "fs2/33", "fs2/34", "fs2/42", "fs2/50", "fs3/19", "fs3/59"])
def test_golds_are_paid_and_near_misses_are_not(id: str, sandbox: Sandbox, published: Path) -> None:
    dataset = NL2BashVerifiedDataset()
    task = dataset.find(id)
    assert len(task.golds) >= 2
    with BashEnv(dataset, sandbox=sandbox, image=images.find("host"), scoring="exact") as env:
        for text, is_right in [
            *((gold, True) for gold in task.golds),
            *((n, False) for n in task.extra["near_misses"]),
        ]:
            env.start_episode(task)
            env.take_action(Action("execute", text))
            scores = env.judge()
            assert scores is not None
            assert scores["exact"].success is is_right, text


def test_planted_rows_are_in_the_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, published: Path) -> None:
    (tmp_path / "singer.sql").write_text("USE `singer`;\nINSERT INTO singer (Singer_ID, Name) VALUES (99, 'Nobody');\n")
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))
    assert rows(tmp_path / "nothing") == ""
    dataset = SpiderDataset()
    source = with_statements(dataset.source(dataset[0]), rows(tmp_path))
    with SqliteDatabase() as database, database.open(source, "singer") as session:
        assert session.run("SELECT Name FROM singer WHERE Singer_ID = 99").rows == (("Nobody",),)


def test_the_verified_spider_has_the_published_databases(published: Path) -> None:
    dataset, whole = SpiderVerifiedDataset(), SpiderDataset()
    with SqliteDatabase() as database, database.open(dataset.source(dataset[0]), dataset.database(dataset[0])) as one:
        assert one.state().keys() >= {name.lower() for name in whole[0].extra["db_tables"]}


NOWHERE = Entry("symlink", 0o777, 0, 0, 0, 0, "/nowhere")
TO_ROOT = replace(NOWHERE, digest="/")
DIRECTORY = Entry("directory", 0o755, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("changes", "is_done"),
    [
        ([Difference("/system/folder1/any", None, TO_ROOT)], True),
        ([Difference("/system/folder1/any", None, replace(NOWHERE, digest="../.."))], True),
        ([Difference("/any", None, replace(NOWHERE, digest="system/folder1"))], True),
        (
            [
                Difference("/system/folder1", DIRECTORY, replace(DIRECTORY, mtime_ns=1)),
                Difference("/system/folder1/any", None, TO_ROOT),
            ],
            True,
        ),
        (
            [
                Difference("/system/folder1", DIRECTORY, replace(DIRECTORY, mode=0o777)),
                Difference("/system/folder1/any", None, TO_ROOT),
            ],
            False,
        ),
        ([Difference("/system/folder1/any", None, NOWHERE)], False),
        ([Difference("/system/any", None, TO_ROOT)], False),
        ([Difference("/system/folder1/any", TO_ROOT, TO_ROOT)], False),
        ([Difference("/system/folder1/any", None, TO_ROOT), Difference("/system/folder1/other", None, TO_ROOT)], False),
        ([], False),
    ],
)
def test_a_link_of_any_name_between_the_folder_and_the_root_is_right(changes: list[Difference], is_done: bool) -> None:
    task = Task("nl2bash-verified/fs2/40", "link it", extra={"check": "link_and_root"})
    assert checks.reward(EpisodeResult(task, changes=tuple(changes))) == is_done


WRITTEN = Entry("file", 0o644, 0, 0, 30, int(datetime(2026, 11, 23, 14, 5, 9, tzinfo=UTC).timestamp()) * 10**9)


class OneFile(NoFiles):
    def __init__(self, text: str) -> None:
        self._text = text

    def read(self, path: str) -> bytes:
        assert path == checks.DATED
        return self._text.encode()


@pytest.mark.parametrize(
    ("file", "shown", "is_done"),
    [
        ("Mon Nov 23 14:05:09 UTC 2026 1\n", "Mon Nov 23 14:05:09 UTC 2026 1\n", True),
        ("2026-11-23T14:05:08+00:00 1\n", "11/23/26 02:05:09 PM 1", True),
        ("2026-11-23 14:05:09 1\n", "", False),
        ("2026-11-23 14:05:09\n", "2026-11-23 14:05:09\n", False),
        ("2026-11-23 1\n", "2026-11-23 1\n", False),
        ("2026-11-23 14:03:59 1\n", "2026-11-23 14:03:59 1\n", False),
        ("1\n2026-11-23 14:05:09 1\n", "2026-11-23 14:05:09 1\n", False),
        ("", "2026-11-23 14:05:09 1\n", False),
    ],
)
def test_the_time_and_1_are_right_in_any_format(file: str, shown: str, is_done: bool) -> None:
    task = Task("nl2bash-verified/fs2/42", "write it", extra={"check": "date_and_one"})
    change = Difference(checks.DATED, replace(WRITTEN, size=0), WRITTEN)
    result = EpisodeResult(task, answer=shown, changes=(change,), world=OneFile(checks.BEFORE + file))
    assert checks.reward(result) == is_done
    assert checks.reward(replace(result, world=OneFile(file))) == 0, "what was written before is gone"
    assert checks.reward(replace(result, changes=(change, replace(change, path="/other")))) == 0


@pytest.mark.parametrize(
    ("now", "line", "is_done"),
    [
        ("2026-11-28 11:28:07", "2026-11-28 1\n", False),
        ("2026-11-28 11:11:07", "2026-11-28 11 1\n", False),
        ("2026-11-11 11:11:11", "2026-11-11 11 1\n", False),
        ("2026-11-11 11:11:11", "2026-11-11 11:11 1\n", True),
        ("2026-11-28 11:28:07", "Sat Nov 28 2026 1\n", False),
        ("2026-11-28 11:28:07", "Sat 28 Nov 2026 11:28:07 AM UTC 1\n", True),
        ("2026-05-05 05:05:05", "05/05/26 05:05:05 1\n", True),
        ("2026-05-05 00:05:05", "Tue, 05 May 2026 00:05:05 +0000 1\n", True),
        ("2026-05-05 13:26:05", "05/05/26 01:26:05 PM 1\n", True),
    ],
)
def test_a_day_whose_numbers_are_those_of_the_hour_is_no_time(now: str, line: str, is_done: bool) -> None:
    task = Task("nl2bash-verified/fs2/42", "write it", extra={"check": "date_and_one"})
    written = replace(WRITTEN, mtime_ns=int(datetime.fromisoformat(now + "+00:00").timestamp()) * 10**9)
    change = Difference(checks.DATED, replace(WRITTEN, size=0), written)
    result = EpisodeResult(task, answer=line, changes=(change,), world=OneFile(checks.BEFORE + line))
    assert checks.reward(result) == is_done


@pytest.mark.parametrize(
    ("shown", "is_done"),
    [
        ("USER PID COMMAND\nroot   2 ps auxf\n", True),
        ("UID PID CMD\nroot 2 ps -ef --forest\n", True),
        ("systemd\n  `-pstree -al\n", True),
        ("UID PID CMD\nroot 2 ps -ef\n", False),
        ("PID TTY TIME CMD\n  2 ?   0:00 ps\n", False),
        ("USER PID COMMAND\n", False),
        ("systemd---pstree\n", False),
        ("", False),
    ],
)
def test_a_tree_of_processes_is_right_whoever_draws_it(shown: str, is_done: bool) -> None:
    task = Task("nl2bash-verified/fs4/5", "show it", extra={"check": "process_tree"})
    result = EpisodeResult(task, answer=shown)
    assert checks.reward(result) == is_done
    change = Difference("/tree", None, WRITTEN)
    assert checks.reward(replace(result, changes=(change,))) == 0


def test_tasks_without_a_check_are_judged_by_comparison_with_their_golds() -> None:
    score = Score(0.5, success=False)
    task = Task("nl2bash-verified/fs2/41", "remove it", "rm it")
    assert checks.reward(EpisodeResult(task, scores={"exact": score, "paper": score})) is score
