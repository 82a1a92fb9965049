"""Tasks from files: every format, every field, and everything that can be wrong with them."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from intercode import datasets
from intercode.datasets.base import Dataset
from intercode.datasets.files import FilesDataset
from intercode.errors import BadDataError, UnsafeError
from intercode.testing.dataset import DatasetContract
from intercode.types import Criteria, Task

Write = Callable[[str, str | bytes], Path]

RECORDS = [
    {"query": "Say hi.", "gold": "echo hi", "difficulty": "easy", "host": "mars"},
    {"query": 'Print "ä  b", twice.', "gold": 'echo "ä  b"\necho "ä  b"', "difficulty": "hard", "host": "venus"},
]
TASKS = [
    Task("mine/0", "Say hi.", "echo hi", difficulty="easy", extra={"host": "mars"}),
    Task("mine/1", 'Print "ä  b", twice.', 'echo "ä  b"\necho "ä  b"', difficulty="hard", extra={"host": "venus"}),
]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def table(separator: str) -> str:
    return "".join(
        separator.join(cells) + "\n"
        for cells in (
            ("query", "gold", "difficulty", "host"),
            ("Say hi.", "echo hi", "easy", "mars"),
            ('"Print ""ä  b"", twice."', '"echo ""ä  b""\necho ""ä  b"""', "hard", "venus"),
        )
    )


CONTENTS: dict[str, str | bytes] = {
    "mine.json": json.dumps(RECORDS),
    "mine.JSON": json.dumps(RECORDS, ensure_ascii=False, indent=2),
    "mine.jsonl": "\n".join(json.dumps(record) for record in RECORDS),
    "mine.ndjson": "\r\n\r\n".join(json.dumps(record, ensure_ascii=False) for record in RECORDS) + "\n",
    "mine.csv": table(","),
    "mine.tsv": table("\t"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_each_format_says_the_same(write: Write, name: str) -> None:
    assert list(FilesDataset(write(name, CONTENTS[name]))) == TASKS


@pytest.mark.parametrize("name", CONTENTS)
def test_a_byte_order_mark_is_no_part_of_the_text(write: Write, name: str) -> None:
    """Spreadsheets write one."""
    assert list(FilesDataset(write(name, b"\xef\xbb\xbf" + str(CONTENTS[name]).encode()))) == TASKS


def test_a_format_can_be_named_where_the_ending_says_nothing(write: Write) -> None:
    assert list(FilesDataset(write("tasks", CONTENTS["mine.csv"]), format="csv", name="mine")) == TASKS


def test_a_pickle_is_read_only_when_asked_for_by_name(write: Write) -> None:
    path = write("mine.pkl", pickle.dumps(RECORDS))
    with pytest.raises(UnsafeError, match=r"mine\.pkl is a pickle, and reading one runs"):
        FilesDataset(path)
    assert list(FilesDataset(path, format="pickle")) == TASKS
    assert list(FilesDataset(path, allow_pickle=True)) == TASKS


def test_nothing_of_a_refused_pickle_runs(write: Write, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "sprung"),)

    path = write("trap.pickle", pickle.dumps(Trap()))
    with pytest.raises(UnsafeError):
        FilesDataset(path)
    with pytest.raises(BadDataError, match=r"trap\.pickle: line 1 (is not UTF-8|holds a NUL byte)"):
        FilesDataset(path, format="json")
    assert not (tmp_path / "sprung").exists()


def test_an_object_of_records_names_its_tasks(write: Write) -> None:
    records = {"greet": RECORDS[0], "twice": {"query": "Say it.", "id": "own"}}
    data = FilesDataset(write("mine.json", json.dumps(records)))
    assert [task.id for task in data] == ["mine/greet", "mine/own"]


def test_ids_of_their_own_go_before_the_index(write: Write) -> None:
    data = FilesDataset(write("mine.jsonl", '{"query": "a", "id": 1}\n{"query": "b", "id": "mine/0"}\n{"query": "c"}'))
    assert [task.id for task in data] == ["mine/1", "mine/0", "mine/2"]
    assert data.find("1").query == "a"
    assert data.find(1).query == "b"


def test_a_list_of_golds_is_refused_until_it_is_said_what_it_means(write: Write) -> None:
    """It may be commands in a row, or alternatives."""
    path = write("mine.json", json.dumps([{"query": "a", "gold": ["ls -A", "ls"]}, {"query": "b", "gold": ["ls"]}]))
    with pytest.raises(BadDataError, match=r"record 0, field 'gold': .* say golds = \"gold\" in .* golds=gold\)"):
        FilesDataset(path)
    assert [task.golds for task in FilesDataset(path, golds="gold")] == [("ls -A", "ls"), ("ls",)]


@pytest.mark.parametrize(
    ("fields", "golds"),
    [
        ({"golds": ["ls -A", "ls", "ls -A"]}, ("ls -A", "ls")),
        ({"gold": "ls", "golds": ["ls -A"]}, ("ls", "ls -A")),
        ({"golds": "ls", "alternative_golds": ["ls -A"]}, ("ls", "ls -A")),
        ({"golds": [None, " "]}, ()),
    ],
)
def test_a_column_of_golds_holds_alternatives(write: Write, fields: dict[str, object], golds: tuple[str, ...]) -> None:
    assert FilesDataset(write("mine.json", json.dumps([{"query": "a", **fields}])))[0].golds == golds


def test_golds_have_the_line_ends_of_the_sandbox_and_it_is_said(write: Write) -> None:
    records = [{"query": "a", "gold": "cd /\r\nls\r"}, {"query": "b", "golds": ["printf 'a\rb'", "ls\r\n"]}]
    data = FilesDataset(write("mine.json", json.dumps(records)))
    assert [task.golds for task in data] == [("cd /\nls",), ("printf 'a\rb'", "ls\n")]
    assert [note.partition(":")[0] for note in data.notes] == ["2 tasks (mine/0, mine/1)"]


def test_tasks_without_a_gold_among_others_are_named(write: Write) -> None:
    records = [{"query": "a", "gold": "ls"}, *({"query": "b", "gold": None} for _ in range(7))]
    (note,) = FilesDataset(write("mine.json", json.dumps(records))).notes
    assert note.startswith("7 tasks (mine/1, mine/2, mine/3, mine/4, mine/5 and 2 more): no gold")
    assert not FilesDataset(write("b.json", '[{"query": "a"}]')).notes


USER, ASSISTANT = {"role": "user", "content": "List files."}, {"role": "assistant", "content": "ls"}
FOREIGN: dict[str, tuple[dict[str, object], dict[str, str]]] = {
    "NL2SH-ALFA": ({"nl": "List files.", "bash": "ls", "difficulty": 0}, {"query": "nl", "gold": "bash"}),
    "prompt and answer": ({"prompt": "List files.", "answer": "ls"}, {"query": "prompt", "gold": "answer"}),
    "a conversation": (
        {"messages": [{"role": "system", "content": "You."}, USER, ASSISTANT]},
        {"query": "messages", "gold": "messages"},
    ),
    "ShareGPT": (
        {"conversations": [{"from": "human", "value": "List files."}, {"from": "gpt", "value": "ls"}]},
        {"query": "conversations", "gold": "conversations"},
    ),
    "verl": (
        {"prompt": [USER], "reward_model": {"style": "rule", "ground_truth": "ls"}},
        {"query": "prompt", "gold": "reward_model.ground_truth"},
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_other_names_of_columns_are_refused_with_the_settings_that_read_them(write: Write, name: str) -> None:
    record, settings = FOREIGN[name]
    path = write("mine.jsonl", json.dumps(record))
    with pytest.raises(BadDataError, match="line 1 has no field 'query'") as error:
        FilesDataset(path)
    for setting, column in settings.items():
        assert f'{setting} = "{column}"' in str(error.value)
        assert f"--dataset-option {setting}={column}" in str(error.value)
    (task,) = FilesDataset(path, query=settings["query"], gold=settings["gold"])
    assert (task.query, task.gold) == ("List files.", "ls")


def test_a_gold_under_another_name_is_pointed_at(write: Write) -> None:
    (note,) = FilesDataset(write("mine.json", '[{"query": "a", "answer": "ls"}]')).notes
    assert note.startswith("no task has a gold")
    assert 'gold = "answer"' in note


def test_a_conversation_of_several_requests_is_no_task(write: Write) -> None:
    path = write("mine.jsonl", json.dumps({"messages": [USER, ASSISTANT, USER]}))
    with pytest.raises(BadDataError, match=r"line 1, field 'messages': it has 2 messages of the user"):
        FilesDataset(path, query="messages")


@pytest.mark.parametrize("name", CONTENTS)
def test_a_packed_file_is_read(write: Write, name: str) -> None:
    data = datasets.load(str(write(f"{name}.gz", gzip.compress(str(CONTENTS[name]).encode()))))
    assert list(data) == TASKS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b'{"query": "a"}')[:-9], "it cannot be unpacked"),
        (gzip.compress(b'{"query": "a"}')[:12] + b"junk" * 9, "it cannot be unpacked"),
        (gzip.compress(b""), "is empty"),
    ],
    ids=["cut short", "damaged", "of nothing"],
)
def test_a_packed_file_that_is_broken_is_refused(write: Write, content: bytes, message: str) -> None:
    with pytest.raises(BadDataError, match=message):
        FilesDataset(write("mine.jsonl.gz", content))


def test_names_of_columns_may_have_blanks_around_them(write: Write) -> None:
    assert FilesDataset(write("mine.csv", " query , gold\nlist files,ls\n"))[0].gold == "ls"


def test_another_separator_is_named(write: Write) -> None:
    with pytest.raises(BadDataError, match=r"line 1 is separated by ';'"):
        FilesDataset(write("mine.csv", "query;gold\nlist files;ls\n"))


def test_a_bad_id_is_shown_and_cut(write: Write) -> None:
    with pytest.raises(BadDataError, match=r"not 'x{60}' …"):
        FilesDataset(write("mine.json", json.dumps([{"query": "a", "id": "x" * 300 + "\n7"}])))


@pytest.mark.parametrize("gold", [None, "", "  ", [], ["", " "]])
def test_a_blank_gold_is_none(write: Write, gold: object) -> None:
    assert FilesDataset(write("mine.json", json.dumps([{"query": "a", "gold": gold}])))[0].gold is None


def test_an_empty_cell_is_no_value(write: Write) -> None:
    data = FilesDataset(write("mine.csv", "query,gold,category,host\nsay hi,,,\n"))
    assert list(data) == [Task("mine/0", "say hi")]


def test_a_first_column_without_a_name_numbers_the_rows(write: Write) -> None:
    """As pandas and R write them."""
    assert list(FilesDataset(write("mine.csv", '"",query,gold\n7,say hi,echo hi\n'))) == [
        Task("mine/0", "say hi", "echo hi")
    ]


def test_columns_may_have_other_names(write: Write) -> None:
    path = write("mine.csv", "question,answer,query\nsay hi,echo hi,7\n")
    (task,) = FilesDataset(path, query="question", gold="answer")
    assert (task.query, task.gold, task.extra) == ("say hi", "echo hi", {"query": "7"})


JUDGED = Task(
    "mine/0",
    "Pack it.",
    "tar -cf /a.tar /b",
    alternative_golds=("tar -cf /a.tar -C / b", "cd /;tar -cf a.tar b"),
    criteria=Criteria(archive_members=True, any_order=True),
    known_issue="ambiguous",
)


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_record_says_how_it_is_judged(write: Write, form: str) -> None:
    """In a table a list is a text with commas, and an alternative a cell of its own."""
    golds: list[object] = ["tar -cf /a.tar -C / b", ["cd /", "tar -cf a.tar b"], JUDGED.gold]
    fields = {"query": JUDGED.query, "gold": JUDGED.gold, "known_issue": "ambiguous"}
    if form == "json":
        record = {**fields, "alternative_golds": golds, "criteria": ["archive_members", "any_order"]}
        assert FilesDataset(write("mine.json", json.dumps([record])))[0] == JUDGED
    else:
        header = "query,gold,known_issue,alternative_golds,criteria\n"
        row = f'{JUDGED.query},{JUDGED.gold},ambiguous,tar -cf /a.tar -C / b,"archive_members, any_order"\n'
        task = FilesDataset(write("mine.csv", header + row))[0]
        assert task == replace(JUDGED, alternative_golds=JUDGED.alternative_golds[:1])


@pytest.mark.parametrize(
    ("world", "field", "message"),
    [
        ("python", '"alternative_golds": ["b"]', "in the world python nothing is compared with a gold"),
        ("sql", '"criteria": ["any_order"]', "the world sql has no criteria to choose"),
    ],
)
def test_a_world_that_does_not_judge_so_says_it(write: Write, world: str, field: str, message: str) -> None:
    path = write("mine.json", '[{"query": "a", "gold": "b", ' + field + "}]")
    with pytest.raises(BadDataError, match=message):
        FilesDataset(path, world=world)


def test_the_checksum_is_the_files(write: Write) -> None:
    path = write("mine.csv", CONTENTS["mine.csv"])
    assert FilesDataset(path).checksum == sha256(path.read_bytes()).hexdigest()


BAD: dict[str, tuple[str, str | bytes, str]] = {
    "empty": ("a.json", "", r"a\.json is empty"),
    "blank": ("a.jsonl", " \n\n", r"a\.jsonl is empty"),
    "no records": ("a.json", "[]", r"a\.json: it holds no records"),
    "header alone": ("a.csv", "query,gold\n", r"a\.csv: it holds no records"),
    "unknown ending": ("a.yaml", "query: a", r"a\.yaml: no format called '\.yaml'; say which it is: json"),
    "not UTF-8": ("a.csv", b"query\nab\nc\xff\n", r"a\.csv: line 3 is not UTF-8 \(byte 0xff\)"),
    "UTF-16": ("a.csv", "query\nab\n".encode("utf-16"), r"a\.csv: line 1 holds a NUL byte.*UTF-16"),
    "NUL": ("a.tsv", b"query\nab\nc\0d\n", r"a\.tsv: line 3 holds a NUL byte"),
    "broken JSON": ("a.json", '[\n{"query": "a"},\n{"query" "b"}]', r"a\.json: line 3, column 10 is not JSON"),
    "broken line": ("a.jsonl", '{"query": "a"}\n\n{"query": ', r"a\.jsonl: line 3, column 11 is not JSON"),
    "two on a line": ("a.jsonl", '{"query": "a"} {"query": "b"}', r"a\.jsonl: line 1, column 16 is not JSON"),
    "too deep": ("a.json", "[" * 100_000, r"a\.json: from line 1 on: .*recursion"),
    "too long a number": ("a.json", '[{"query": "a", "n": ' + "9" * 5000 + "}]", r"from line 1 on: Exceeds the limit"),
    "doubled name": ("a.json", '[{"query": "a", "query": "b"}]', r"the name 'query' occurs twice"),
    "doubled key": ("a.json", '{"k": {"query": "a"}, "k": {"query": "b"}}', r"the name 'k' occurs twice"),
    "a string": ("a.json", '"query"', r"a\.json: expected a list of records, .* not a string"),
    "null": ("a.json", "null", r"not null"),
    "not an object": ("a.json", '[{"query": "a"}, 7]', r"a\.json: record 1 should be an object .* and is a number"),
    "an object's member": ("a.json", '{"query": "a"}', r"a\.json: record 'query' should be an object"),
    "a line that is a list": ("a.jsonl", '{"query": "a"}\n["b"]', r"a\.jsonl: line 2 should be an object .* is a list"),
    "no query": ("a.jsonl", '{"query": "a"}\n{"gold": "b"}', r"a\.jsonl: line 2 has no field 'query'; .* are: gold"),
    "nothing": ("a.json", "[{}]", r"record 0 has no field 'query'; its fields are: none"),
    "empty query": ("a.json", '[{"query": " \\n"}]', r"a\.json: record 0, field 'query': it is empty"),
    "query no string": ("a.json", '[{"query": ["a"]}]', r"record 0, field 'query': expected a string, not a list"),
    "query null": ("a.json", '[{"query": null}]', r"record 0, field 'query': expected a string, not null"),
    "NUL in query": ("a.json", '[{"query": "a\\u0000b"}]', r"record 0, field 'query': it holds a NUL character"),
    "NUL in gold": ("a.json", '[{"query": "a", "gold": "\\u0000"}]', r"record 0, field 'gold': it holds a NUL"),
    "half a character": ("a.json", '[{"query": "\\ud800"}]', r"record 0, field 'query': it is not Unicode text"),
    "gold a number": ("a.json", '[{"query": "a", "gold": 7}]', r"field 'gold': .* not a number"),
    "gold of numbers": ("a.json", '[{"query": "a", "gold": ["b", 7]}]', r"field 'gold': .* not a number"),
    "gold an object": ("a.json", '[{"query": "a", "gold": {}}]', r"field 'gold': .* not an object"),
    "id a list": ("a.json", '[{"query": "a", "id": []}]', r"field 'id': expected a string, not a list"),
    "id true": ("a.json", '[{"query": "a", "id": true}]', r"field 'id': .* not true or false"),
    "id of two lines": ("a.json", '[{"query": "a", "id": "b\\nc"}]', r"field 'id': it should be one line"),
    "category a list": ("a.json", '[{"query": "a", "category": []}]', r"field 'category': expected a string"),
    "difficulty 0.5": ("a.json", '[{"query": "a", "difficulty": 0.5}]', r"field 'difficulty': expected a string"),
    "two of an id": ("a.jsonl", '{"query":"a","id":"x"}\n{"query":"b","id":"x"}', r"line 2 has the id 'a/x'.* line 1"),
    "an id like an index": ("a.json", '[{"query": "a", "id": 1}, {"query": "b"}]', r"record 1 has the id 'a/1'"),
    "no header": ("a.csv", "list files,ls\nsay hi,echo hi\n", r"line 2 has no field 'query'; .* list files, ls \("),
    "column of no name": ("a.csv", "query,,gold\na,b,c\n", r"a\.csv: line 1 should name the columns"),
    "two columns of a name": ("a.csv", "query,query\na,b\n", r"a\.csv: line 1 names the column 'query' twice"),
    "too few fields": ("a.csv", "query,gold\na,b\nc\n", r"a\.csv: line 3 has 1 field where the header has 2"),
    "too many fields": ("a.tsv", 'query\tgold\n"a\na"\tb\nc\td\te\n', r"a\.tsv: line 4 has 3 fields"),
    "open quote": ("a.csv", 'query\na\n"b\nc\n', r"a\.csv: line 3 is not a row of a table: unexpected end"),
    "stray quote": ("a.csv", 'query\n"a" b\n', r"a\.csv: line 2 is not a row of a table: .* has those in it doubled"),
    "alternative of nothing": ("a.json", '[{"query": "a", "alternative_golds": ["b"]}]', r"the task has no gold"),
    "empty alternative": ("a.json", '[{"query": "a", "gold": "b", "alternative_golds": ["c", " "]}]', r"one .* empty"),
    "alternative a number": ("a.json", '[{"query": "a", "gold": "b", "alternative_golds": 7}]', r"'alternative_golds'"),
    "unknown criterion": (
        "a.json",
        '[{"query": "a", "criteria": ["speed"]}]',
        r"called 'speed'; there are: file_times",
    ),
    "criteria a number": ("a.json", '[{"query": "a", "criteria": 7}]', r"field 'criteria': .* not a number"),
    "unknown issue": ("a.json", '[{"query": "a", "known_issue": "odd"}]', r"'odd'; there are: wrong, ambiguous, void"),
    "empty cell for a query": ("a.csv", "query,gold\n,ls\n", r"a\.csv: line 2 has no field 'query'"),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_input_is_met_at_the_door(write: Write, fault: str) -> None:
    """The message names the file, the line or record, and the field."""
    name, content, message = BAD[fault]
    path = write(name, content)
    with pytest.raises(BadDataError, match=message) as error:
        FilesDataset(path)
    assert str(error.value).startswith(str(path))


PICKLES: dict[str, tuple[bytes, str]] = {
    "no pickle": (b"query,gold\n", r"it cannot be unpickled: "),
    "cut short": (pickle.dumps(RECORDS)[:-20], r"it cannot be unpickled: "),
    "of a class that is not there": (b"cnowhere.at_all\nThing\n.", r"unpickled: ModuleNotFoundError"),
    "a number": (pickle.dumps(7), r"not a number"),
    "a function": (pickle.dumps(len), r"not of type builtin_function_or_method"),
    "strings": (pickle.dumps(["a"]), r"record 0 should be an object .* and is a string"),
    "numbered columns": (pickle.dumps([{0: "a"}]), r"record 0 has a column named by a number"),
    "bytes": (pickle.dumps([{"query": b"a"}]), r"record 0, field 'query': expected a string, not of type bytes"),
}


@pytest.mark.parametrize("fault", PICKLES)
def test_a_pickle_of_something_else_is_refused(write: Write, fault: str) -> None:
    content, message = PICKLES[fault]
    with pytest.raises(BadDataError, match=message):
        FilesDataset(write("a.pkl", content), format="pickle")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    absent = tmp_path / "a.json"
    for path in (absent, absent / "b.json", Path("nul\0byte.json"), Path("x" * 300 + ".json")):
        with pytest.raises(BadDataError, match=r"there is no such file|it cannot be read"):
            FilesDataset(path)


def test_a_folder_is_no_file_of_tasks(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="is a folder"):
        FilesDataset(tmp_path)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    with pytest.raises(BadDataError, match="not a regular file"):
        FilesDataset(tmp_path / "a.json")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_named(write: Write) -> None:
    path = write("a.json", CONTENTS["mine.json"])
    path.chmod(0)
    with pytest.raises(BadDataError, match=r"a\.json: it cannot be read: Permission denied"):
        FilesDataset(path)


def test_an_unknown_format_lists_the_known_ones(write: Write) -> None:
    with pytest.raises(
        BadDataError, match="no format called 'xml'; say which it is: json, jsonl, csv, tsv, parquet, pickle"
    ):
        FilesDataset(write("a.json", CONTENTS["mine.json"]), format="xml")


class TestFiles(DatasetContract):
    @pytest.fixture
    def dataset(self, write: Write) -> Dataset:
        return FilesDataset(write("mine.csv", CONTENTS["mine.csv"]))


class TestFilesWithIdsOfTheirOwn(DatasetContract):
    @pytest.fixture
    def dataset(self, write: Write) -> Dataset:
        return FilesDataset(write("mine.json", json.dumps({"2": RECORDS[0], "a/b": RECORDS[1], "0": {"query": "c"}})))
