"""An imported data set: what its golds do when they are really run, and which tasks are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from time import process_time

import pytest

from intercode import datasets
from intercode.audit.dataset_import import folder
from intercode.audit.dataset_import.finding import DroppedRecord, GoldFinding, counts, reasons, to_json
from intercode.audit.dataset_import.gold_check import GoldCheck
from intercode.audit.dataset_import.records import read, tasks_of
from intercode.audit.dataset_import.text_clues import complaints, named_paths, wants_network
from intercode.datasets.formats import Record
from intercode.env.clock_words import asks_the_clock
from intercode.errors import BadDataError, UserError
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Criteria, Task

NO_NETWORK = "curl() { return 6; };"
"""What curl does without a network: the machine may have no curl."""

GOLDS = {
    "prints": "echo hi",
    "changes": "mkdir /srv/new && touch /srv/new/file",
    "lists": "ls /srv/new; ls /usr/share",
    "chance": "echo $RANDOM$RANDOM",
    "clock": "echo today: $(date +%F)",
    "network": f"{NO_NETWORK} curl -s https://example.org/",
    "absent": "cat /data/none.txt",
    "program": "no-such-program --all",
    "vacuous": "true",
    "fails": "grep -q intercode /etc/passwd",
    "second": "echo $EPOCHSECONDS",
    "fetches": f"{NO_NETWORK} curl -s http://example.org/ -o /srv/page; touch /srv/page; exit 6",
    "halves": "cat /data/none.txt /etc/hostname",
    "terminal": "tty",
    "endless": "yes no-answer-is-so-long | head -c 9000000",
}


TOO_SHORT, ENOUGH = 1, 60
"""Seconds that an action has: only what never ends may run out of them, however busy the machine is."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, GoldFinding]:
    """All of `GOLDS` examined once, in the embedded sandbox, and one that never ends."""
    place = tmp_path_factory.mktemp("fidelity")
    return examined(place / "golds", GOLDS, ENOUGH) | examined(place / "slow", {"slow": "sleep 100"}, TOO_SHORT)


def examined(place: Path, golds: dict[str, str], seconds: int) -> dict[str, GoldFinding]:
    place.mkdir()
    (place / "task.toml").write_text(f'world = "bash"\n[limits]\nseconds = {seconds}\n')
    folder.write_tasks(place, [Task(f"{place.name}/{name}", "Do it.", gold) for name, gold in golds.items()])
    with prepare(Settings(dataset=str(place), scoring="exact")) as job:
        findings = GoldCheck(job, parallel=2).run()
    return {each.task.removeprefix(f"{place.name}/"): each for each in findings}


def test_every_gold_that_is_accepted_has_to_score(tmp_path: Path) -> None:
    """And what a task says of its judgement is written with it."""
    (tmp_path / "task.toml").write_text('world = "bash"\n')
    alone = Task(f"{tmp_path.name}/0", "Say hi.", "echo hi", alternative_golds=("printf hi",))
    bad = replace(alone, id=f"{tmp_path.name}/1", alternative_golds=("echo ho", "true"), known_issue="ambiguous")
    judged = replace(bad, criteria=Criteria(any_order=True))
    folder.write_tasks(tmp_path, [alone, judged])
    assert list(datasets.load(str(tmp_path))) == [alone, judged]
    with prepare(Settings(dataset=str(tmp_path), scoring="exact")) as job:
        good, dropped = GoldCheck(job).run()
    assert good.is_good
    assert dropped.why_dropped == "alternative gold 2 scores 0.00"


def test_each_gold_is_told_apart(found: dict[str, GoldFinding]) -> None:
    good = {name for name, each in found.items() if each.is_good}
    assert good == {"prints", "changes", "lists"}
    assert {name: each.why_dropped for name, each in found.items() if name not in good} == {
        "chance": "two runs of the gold differ",
        "clock": "the gold asks what time it is",
        "second": "the gold asks what time it is",
        "fetches": "the gold needs the network",
        "halves": "the gold names what is not there",
        "terminal": "the gold needs a terminal",
        "endless": "the gold shows more than is kept of an output",
        "network": "the gold needs the network",
        "absent": "the gold names what is not there",
        "program": "the gold names what is not there",
        "vacuous": found["vacuous"].notes[-1],
        "slow": "the gold takes too long",
        "fails": found["fails"].notes[-1],
    }
    assert "vacuous gold" in found["vacuous"].why_dropped


def test_what_each_of_them_did_is_reported(found: dict[str, GoldFinding]) -> None:
    assert [name for name, each in found.items() if each.changes] == ["changes", "fetches"]
    assert found["prints"].runs
    assert found["prints"].value == 1.0
    assert (found["fails"].runs, found["fails"].exit_code) == (False, 1)
    assert found["slow"].timed_out
    assert found["network"].network == ("curl", "https://example.org/")
    assert found["absent"].missing == ("/data/none.txt",)
    assert found["program"].missing == ("no-such-program",)
    assert found["changes"].missing == ()
    assert found["lists"].missing == ("/srv/new",)
    assert found["clock"].clock == ("date +%F",)
    assert found["clock"].success, "today it would pass"
    assert found["fetches"].success, "an empty page is easily made"
    assert found["terminal"].terminal == ("not a tty",)
    numbers = {"runs": 7, "deterministic": 13, "changes": 2, "success": 7, "network": 2, "missing": 4}
    assert counts([each for name, each in found.items() if name != "second"]) == numbers  # that one depends on chance


def test_statements_are_examined_too(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text('world = "sql"\n')
    (tmp_path / "birds.sql").write_text(
        "CREATE TABLE birds (name TEXT);\nINSERT INTO birds VALUES ('tern'), ('heron');\n"
    )
    golds = {"reads": "SELECT name FROM birds", "writes": "DELETE FROM birds", "errs": "SELECT name FROM boats"}
    folder.write_tasks(tmp_path, [Task(f"{tmp_path.name}/{name}", "Do it.", gold) for name, gold in golds.items()])
    with prepare(Settings(dataset=str(tmp_path), scoring="exact", database="sqlite")) as job:
        reads, writes, errs = GoldCheck(job).run()
    assert reads.is_good
    assert not reads.changes
    assert writes.is_good
    assert writes.changes
    assert not errs.is_good
    assert [name.rpartition(".")[2] for name in errs.missing] == ["boats"]


def test_flags_are_examined_too_and_what_a_task_brings_is_no_change(tmp_path: Path) -> None:
    """In capture the flag files lie there before the gold is handed in."""
    (tmp_path / "task.toml").write_text('world = "ctf"\n')
    folder.write_tasks(tmp_path, [Task(f"{tmp_path.name}/0", "Find it.", "flag{x}", extra={"setup": "echo > note"})])
    with prepare(Settings(dataset=str(tmp_path), scoring="exact")) as job:
        (found,) = GoldCheck(job).run()
    assert (found.is_good, found.changes) == (True, False)


def test_functions_that_pass_by_chance_are_found_out(tmp_path: Path) -> None:
    """The gold only defines one; what it does shows when it is judged."""
    (tmp_path / "task.toml").write_text('world = "python"\n')
    gold = "import os\ndef drawn():\n    return os.urandom(8).hex()[0] < '8'\n"
    tests = [f"assert drawn() == {each}" for each in (True, False) * 8]  # all are met by one draw in 65536
    folder.write_tasks(tmp_path, [Task(f"{tmp_path.name}/0", "Write `drawn()`.", gold, extra={"tests": tests})])
    with prepare(Settings(dataset=str(tmp_path), scoring="exact")) as job:
        (found,) = GoldCheck(job).run()
    assert not found.is_good


def records(*rows: dict[str, object]) -> list[Record]:
    return [Record(f"line {number}", row) for number, row in enumerate(rows, 2)]


def test_records_that_are_no_task_are_dropped_with_the_reason_and_the_others_keep_their_ids() -> None:
    rows = records(
        {"q": "Say hi.", "a": "echo hi"},
        {"q": "", "a": "echo"},
        {"q": "No gold.", "a": None},
        {"q": "Say hi.", "a": "echo hi"},
        {"q": "Say ho.", "a": "echo ho", "id": "0"},
        {"q": "Say ha.", "a": "echo ha", "source": "book"},
    )
    tasks, dropped = tasks_of(rows, "birds.csv", name="birds", query="q", gold="a", world="bash")
    assert [task.id for task in tasks] == ["birds/0", "birds/5"]
    assert tasks[1].extra == {"source": "book"}
    assert [(each.place, each.why) for each in dropped] == [
        ("line 3", "there is no query"),
        ("birds/2", "there is no gold"),
        ("birds/3", "another record is the same task"),
        ("line 6", "another record has this id"),
    ]
    assert reasons(dropped)[0][1] == 1


def test_labels_that_others_write_otherwise_are_put_into_words() -> None:
    rows = records(
        {"q": "a", "a": "echo a", "difficulty": 0.5, "category": ["files", "text"]},
        {"q": "b", "a": "echo b", "difficulty": float("nan"), "id": 17.0},
        {"q": "c", "a": "echo c", "category": "two\nlines", "id": None},
        {"q": "d", "a": "echo d", "difficulty": None, "id": ""},
    )
    tasks, dropped = tasks_of(rows, "birds.csv", name="birds", query="q", gold="a", world="bash")
    assert dropped == []
    assert [(task.id, task.category, task.difficulty) for task in tasks] == [
        ("birds/0", "files, text", "0.5"),
        ("birds/17", "", ""),
        ("birds/2", "two lines", ""),
        ("birds/3", "", ""),
    ]


def test_what_a_world_wants_and_a_record_lacks_is_no_reason_to_refuse_the_others() -> None:
    asks, gold = "Write `f()`.", "def f(): return 1\n"
    rows = records({"q": asks, "a": gold}, {"q": asks, "a": gold, "tests": ["assert f() == 1"]})
    tasks, dropped = tasks_of(rows, "f.jsonl", name="f", query="q", gold="a", world="python")
    assert [task.id for task in tasks] == ["f/1"]
    assert [each.why for each in dropped] == ["there are no tests to judge by"]
    rows = records({"q": "a", "a": "SELECT 1"}, {"q": "b", "a": "SELECT 1", "db": "Sea"})
    names = {"query": "q", "gold": "a", "world": "sql", "name": "f"}
    tasks, dropped = tasks_of(rows, "f.jsonl", **names, databases=("sea", "land"))
    assert ([task.id for task in tasks], [each.why for each in dropped]) == (["f/1"], ["its database is not there"])
    assert len(tasks_of(rows, "f.jsonl", **names, databases=("sea",))[0]) == 2


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("t.csv", ",q,a\n0,Say hi.,echo hi\n1,one,two,three\n2,Say ho.,echo ho\n", ["line 3"]),
        ("t.jsonl", '{"q": "a", "a": "b"}\n{oops\n"c"\n{"q": "d", "a": "e"}\n', ["line 2", "line 3"]),
        ("t.json", '[{"q": "a", "a": "b"}, 7, {"q": "d", "a": "e"}]', ["record 1"]),
    ],
)
def test_a_record_that_cannot_be_read_is_dropped_and_the_others_are_read(
    tmp_path: Path, name: str, text: str, places: list[str]
) -> None:
    """The numbers of rows that pandas writes are no column."""
    (tmp_path / name).write_text(text)
    found, unread = read(str(tmp_path / name))
    assert [sorted(each.columns) for each in found] == [["a", "q"]] * 2
    assert [each.place for each in unread] == places


def test_a_file_without_one_readable_record_is_refused_with_the_first_reason(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"data": [{"q": "a"}]}')
    with pytest.raises(BadDataError, match="record 'data' should be an object with a query, and is a list"):
        read(str(tmp_path / "t.json"))


@pytest.mark.parametrize(("query", "gold"), [("question", "a"), ("q", "answer")])
def test_a_column_that_no_record_has_is_named_with_those_that_there_are(query: str, gold: str) -> None:
    with pytest.raises(BadDataError, match=r"birds.csv: no record has a column '(question|answer)'; there are: q, a"):
        tasks_of(records({"q": "x", "a": "y"}), "birds.csv", name="birds", query=query, gold=gold, world="bash")


def test_written_tasks_are_read_again_as_they_were(tmp_path: Path) -> None:
    tasks = [Task("mine/a", "Sag „hé“.", "echo é", category="words", difficulty="easy", extra={"from": ["b", 1]})]
    (tmp_path / "mine").mkdir()
    folder.fill(tmp_path / "mine", world="bash", image="host", source="x.csv", files=None, databases=None)
    folder.write_tasks(tmp_path / "mine", tasks)
    assert list(datasets.load(str(tmp_path / "mine"))) == tasks


def test_half_a_character_in_a_column_stands_no_task_in_the_way(tmp_path: Path) -> None:
    task = Task("mine/0", "Say hi.", "echo hi", extra={"note": "\ud800"})
    folder.fill(tmp_path, world="bash", image="host", source="x.json", files=None, databases=None)
    folder.write_tasks(tmp_path, [task])
    assert list(datasets.load(str(tmp_path), name="mine")) == [task]


def test_a_world_in_a_file_comes_along_and_so_does_every_database(tmp_path: Path) -> None:
    for name in ("tasks.sql", "tasks.csv", "task.toml"):
        (tmp_path / "db" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "db" / name).write_text(name)
    (tmp_path / "mine.py").write_text("class MineEnv: ...")
    out = tmp_path / "out"
    out.mkdir()
    folder.fill(
        out, world=str(tmp_path / "mine.py"), image="host", source="x.csv", files=None, databases=tmp_path / "db"
    )
    assert sorted(path.name for path in out.iterdir()) == ["mine.py", "task.toml", "tasks.sql"]
    assert 'world = "mine.py"' in (out / "task.toml").read_text()


@pytest.mark.parametrize(
    ("world", "files", "message"),
    [
        ("sql", None, "name a folder of .sqlite or .sql files with --databases"),
        ("swe", None, "--world swe: tasks of 'swe' are no folder's"),
        ("bash", Path("nowhere"), "--files nowhere: there is no such folder"),
    ],
)
def test_what_a_folder_cannot_be_made_of_is_said(tmp_path: Path, world: str, files: Path | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        folder.fill(tmp_path, world=world, image="host", source="x.csv", files=files, databases=None)


def test_a_draft_becomes_the_folder_only_when_all_went_well(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), folder.draft(tmp_path / "mine") as draft:
        (draft / "begun").rename(draft / "nowhere" / "begun")
    assert list(tmp_path.iterdir()) == []
    with folder.draft(tmp_path / "mine") as draft:
        (draft / "done").touch()
    assert (tmp_path / "mine" / "done").exists()
    with pytest.raises(UserError, match="already exists: choose another --out"), folder.draft(tmp_path / "mine"):
        pass


def test_errors_about_a_draft_name_what_it_was_copied_from(tmp_path: Path) -> None:
    copies = {"files/a": "my/files/a", "shop.sql, line 1": "my/dumps/shop.sql, line 1"}
    for where, original in copies.items():
        with (
            pytest.raises(BadDataError, match=f"^{original}: wrong$"),
            folder.name_originals(tmp_path, Path("out"), files=Path("my/files"), databases=Path("my/dumps")),
        ):
            raise BadDataError(f"{tmp_path / where}: wrong")
    with (
        pytest.raises(UserError, match=r"^out/task\.toml: wrong$"),
        folder.name_originals(tmp_path, Path("out"), files=None, databases=None),
    ):
        raise UserError(f"{tmp_path / 'task.toml'}: wrong")


def test_the_report_counts_every_record_once() -> None:
    findings = [
        GoldFinding("m/0", runs=True, deterministic=True, success=True),
        GoldFinding("m/1", error="SandboxGoneError: died"),
    ]
    dropped = [DroppedRecord("line 4", "the record cannot be read"), DroppedRecord("m/1", findings[1].why_dropped)]
    found = to_json(findings, dropped)
    assert (found["records"], found["kept"]) == (3, 1)
    assert [each["why"] for each in found["dropped"]] == ["the record cannot be read", "the machine failed"]
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("gold", "shown", "words"),
    [
        ("ls | grep curl", "", ()),
        ("find . -name host", "", ()),
        ("cat x; ssh a ls", "", ("ssh",)),
        ("git log && git clone y", "", ("git",)),
        ("apt-get install x", "", ("apt-get",)),
        ("python3 get.py", "x: Temporary failure in name resolution", ("Temporary failure in name resolution",)),
    ],
)
def test_the_network_is_wanted_by_programs_addresses_and_complaints(
    gold: str, shown: str, words: tuple[str, ...]
) -> None:
    assert wants_network(gold, shown) == words


@pytest.mark.parametrize(
    ("gold", "world", "words"),
    [
        ("date", "bash", ("date",)),
        ("TZ=UTC date>x; ls $(date +%F)", "bash", ("date", "date +%F")),
        ("date -d yesterday", "bash", ("date -d yesterday",)),
        ("date -d 2020-01-01; date -d @0; date -r /etc/passwd; cat date; update", "bash", ()),
        ("SELECT NOW ( ), current_date", "sql", ("NOW ( )", "current_date")),
        ("SELECT UNIX_TIMESTAMP(built), known() FROM boats", "sql", ()),
        ("date", "python", ()),
        ("x = datetime.now(); y = time.time()", "python", ("datetime.now(", "time.time(")),
        ("printf '%(%F)T' -1; uptime | cut -c1-9; echo $EPOCHSECONDS", "bash", ("%(%F)T", "uptime", "$EPOCHSECONDS")),
        ("python3 -c 'x.time.timer(); cat uptime'; find -printf '%(f)'; echo ${EPOCHSECONDS2}", "bash", ()),
    ],
)
def test_the_time_is_asked_for_by_programs_and_functions(gold: str, world: str, words: tuple[str, ...]) -> None:
    assert asks_the_clock(gold, world) == words


def test_complaints_name_what_is_not_there() -> None:
    shown = (
        "ls: cannot access '/a b': No such file or directory\n"
        "cat: /c: No such file or directory\nbash: line 1: frob: command not found\n"
        "Unknown column 'x.y' in 'field list'\nno such table: birds\nModuleNotFoundError: No module named 'frob'\n"
    )
    assert complaints(shown)[1:] == ("/c", "frob", "x.y", "birds")


@pytest.mark.parametrize("shown", ["a" * 1_000_000, "cannot " * 150_000, "a: command not found " * 40_000])
def test_a_megabyte_of_output_is_looked_through_in_no_time(shown: str) -> None:
    """One long line took hours, and with Python's lock held Ctrl-C did nothing."""
    begun = process_time()
    complaints(shown)
    assert process_time() - begun < 10


def test_complaints_without_end_are_not_all_told() -> None:
    assert len(complaints("".join(f"cat: /{number}: No such file or directory\n" for number in range(1000)))) == 20


def test_complaints_of_awk_name_the_file() -> None:
    gawk = "awk: fatal: cannot open file `birds.txt' for reading: No such file or directory"
    assert complaints(gawk) == ("birds.txt",)
    assert complaints('mawk: cannot open "birds.txt" (No such file or directory)') == ("birds.txt",)
    assert complaints("W: open (2: No such file or directory)") == ()


def test_a_table_of_other_separators_and_odd_names_of_columns_are_told() -> None:
    with pytest.raises(BadDataError, match=r"there are: q;a \(are the columns separated by ';'\?"):
        tasks_of(records({"q;a": "x;y"}), "b.csv", name="b", query="q", gold="a", world="bash")
    with pytest.raises(BadDataError, match=r"there are: ' q', 'a\\n', b$"):
        tasks_of(records({" q": "x", "a\n": "y", "b": ""}), "b.csv", name="b", query="q", gold="a", world="bash")


def test_a_cell_may_be_as_long_as_it_likes(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"q,a\nSay it.,echo {'a' * 200_000}\n")
    (record,), _ = read(str(tmp_path / "t.csv"))
    assert len(record.columns["a"]) == 200_005


def test_what_is_no_utf_8_names_the_command_that_makes_it_so(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"q,a\nSay h\xe9.,echo\n")
    with pytest.raises(BadDataError, match=r"iconv -f latin1 -t utf-8 \S*t.csv > t-utf8.csv"):
        read(str(tmp_path / "t.csv"))


def test_only_words_that_can_be_nothing_else_are_paths() -> None:
    gold = "find /srv/data -name '*.txt' -exec grep -l a/b {} + > out.txt; cd $HOME/x; ls /etc/*.conf ~/notes"
    assert list(named_paths(gold)) == ["/srv/data", "~/notes"]


def test_parquet_is_read(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist([{"q": "Say hi.", "a": "echo hi", "n": 3}]), tmp_path / "t.parquet")
    (record,), _ = read(str(tmp_path / "t.parquet"))
    assert record.columns == {"q": "Say hi.", "a": "echo hi", "n": 3}


def test_a_folder_of_the_hubs_kind_is_read_by_its_own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where that is installed; it is large, and no part of the usual tests."""
    pytest.importorskip("datasets.exceptions", reason="the `hf` extra is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "birds").mkdir()
    (tmp_path / "birds" / "train.jsonl").write_text('{"q": "Say hi.", "a": "echo hi", "n": null}\n')
    (record,), _ = read(str(tmp_path / "birds"))
    assert record.columns == {"q": "Say hi.", "a": "echo hi"}
    with pytest.raises(BadDataError, match="has no split 'test'; there are: train"):
        read(str(tmp_path / "birds"), split="test")


def test_what_that_library_saved_is_read_too(tmp_path: Path) -> None:
    """Where it is installed, as above."""
    saved = pytest.importorskip("datasets.arrow_dataset", reason="the `hf` extra is not installed")
    saved.Dataset.from_list([{"q": "Say hi.", "a": "echo hi"}]).save_to_disk(str(tmp_path / "birds"))
    (record,), _ = read(str(tmp_path / "birds"))
    assert record.columns == {"q": "Say hi.", "a": "echo hi"}


def test_a_name_of_the_hub_without_its_library_says_what_to_install() -> None:
    if find_spec("huggingface_hub") is not None:
        pytest.skip("the `hf` extra is installed")
    with pytest.raises(UserError, match=r"pip install 'intercode-env\[hf\]'"):
        read("somebody/birds")
