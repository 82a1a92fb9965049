"""SWE-bench's format, as it is published, over repositories made here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet
from swe_material import ENVIRONMENTS, SECRET, git, make_material, record

from intercode.datasets.base import Dataset
from intercode.datasets.swebench import SwebenchDataset
from intercode.envs.swe import SweEnv
from intercode.errors import BadDataError, ImageError
from intercode.sandboxes import images
from intercode.sandboxes.base import Sandbox
from intercode.sandboxes.images.files_layer import FilesLayer
from intercode.testing.repository_dataset import RepositoryDatasetContract


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return make_material(tmp_path_factory.mktemp("swe"))


class TestContract(RepositoryDatasetContract):
    @pytest.fixture
    def dataset(self, material: dict[str, Any]) -> Dataset:
        return SwebenchDataset(**material)


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(records), path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(records))
    else:
        path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


@pytest.mark.parametrize("ending", ["json", "jsonl", "parquet"])
def test_every_published_format_says_the_same(material: dict[str, Any], tmp_path: Path, ending: str) -> None:
    whole = record(material["repositories"] / "demo__calc", difficulty="15 min - 1 hour")
    dataset = SwebenchDataset(**{**material, "file": write(tmp_path / f"tasks.{ending}", [whole])})
    task = dataset.find("demo__calc-1")
    assert (task.id, task.category, task.difficulty) == ("swebench/demo__calc-1", "demo/calc", "15 min - 1 hour")
    assert task.query == whole["problem_statement"]
    assert task.gold is not None
    assert "+    return a + b" in task.gold
    assert task.extra["FAIL_TO_PASS"] == ("tests/test_calc.py::test_add",)
    assert task.extra["suite"].seconds == 30
    assert dataset.default_scoring == "paper"


def test_names_of_tests_may_be_a_list_as_in_other_data_sets_of_this_format(
    material: dict[str, Any], tmp_path: Path
) -> None:
    whole = record(material["repositories"] / "demo__calc", FAIL_TO_PASS=["a::b"], PASS_TO_PASS=None)
    for ending in ("jsonl", "parquet"):
        dataset = SwebenchDataset(**{**material, "file": write(tmp_path / f"tasks.{ending}", [whole])})
        assert (dataset[0].extra["FAIL_TO_PASS"], dataset[0].extra["PASS_TO_PASS"]) == (("a::b",), ())


def test_hints_come_with_the_query_where_asked(material: dict[str, Any]) -> None:
    assert "somebody wrote a minus" not in SwebenchDataset(**material)[0].query
    assert SwebenchDataset(**material, hints=True)[0].query.endswith("\n\nsomebody wrote a minus")


def test_a_task_without_a_patch_or_tests_can_be_played_but_not_scored(material: dict[str, Any], tmp_path: Path) -> None:
    for change in ({"patch": ""}, {"FAIL_TO_PASS": "[]"}):
        whole = record(material["repositories"] / "demo__calc", **change)
        assert SwebenchDataset(**{**material, "file": write(tmp_path / "tasks.json", [whole])})[0].gold is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"base_commit": "main"}, "record 0, field 'base_commit': expected 40 hex digits"),
        ({"base_commit": "--upload-pack=evil"}, "40 hex digits"),
        ({"repo": "../../etc"}, "field 'repo': expected OWNER/NAME"),
        ({"repo": "calc"}, "OWNER/NAME"),
        ({"patch": None}, "field 'patch': expected a string"),
        ({"problem_statement": " "}, "field 'problem_statement': it is empty"),
        ({"FAIL_TO_PASS": "test_a"}, "field 'FAIL_TO_PASS' is not JSON"),
        ({"PASS_TO_PASS": '{"a": 1}'}, "field 'PASS_TO_PASS': expected a list of names"),
    ],
)
def test_a_malformed_record_is_refused_by_place_and_field(
    material: dict[str, Any], tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    file = write(tmp_path / "tasks.json", [record(material["repositories"] / "demo__calc", **change)])
    with pytest.raises(BadDataError, match=said):
        SwebenchDataset(**{**material, "file": file})


def test_a_broken_parquet_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tasks.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(BadDataError, match="not a whole parquet file"):
        SwebenchDataset(file=tmp_path / "tasks.parquet")


def test_the_only_file_where_data_lies_needs_no_name(
    material: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERCODE_DATA", str(tmp_path))
    with pytest.raises(BadDataError, match=r"there is none: name it by the option file=FILE"):
        SwebenchDataset()
    (tmp_path / "swebench").mkdir()
    (tmp_path / "swebench" / "lite.jsonl").write_bytes(material["file"].read_bytes())
    assert len(SwebenchDataset()) == 1
    (tmp_path / "swebench" / "verified.jsonl").write_bytes(material["file"].read_bytes())
    with pytest.raises(BadDataError, match=r"there are lite.jsonl, verified.jsonl"):
        SwebenchDataset()


def test_a_task_is_played_and_scored(material: dict[str, Any], sandbox: Sandbox) -> None:
    with SweEnv(SwebenchDataset(**material), sandbox=sandbox, image="host") as env:
        env.reset()
        assert env.step("git status --short")[0] == ""
        env.step(env.task.gold or "")
        *_, info = env.step("submit")
        assert [info["scores"][name].value for name in ("paper", "exact")] == [1, 1]


def test_what_came_after_the_base_commit_is_not_in_the_agents_reach(material: dict[str, Any], sandbox: Sandbox) -> None:
    later = git(material["repositories"] / "demo__calc", "rev-parse", "v2")
    with SweEnv(SwebenchDataset(**material), sandbox=sandbox, image="host") as env:
        env.reset()
        assert (
            env.step("git log --all --format=%s; git reflog; git tag; git remote; git stash list")[0]
            == "Doubling\nBegin\n"
        )
        everything = env.step("git cat-file --batch-all-objects --batch; cat .git/packed-refs; grep -rs . .git")[0]
        assert "Doubling" in everything
        assert SECRET not in everything
        assert env.step(f"git cat-file -t {later}")[4]["observation"].exit_code == 128
        assert "No such file" in env.step("ls .git/logs")[0]


def test_a_repository_without_the_base_commit_is_the_machines_failure(
    material: dict[str, Any], tmp_path: Path, sandbox: Sandbox
) -> None:
    whole = record(material["repositories"] / "demo__calc", base_commit="1" * 40)
    dataset = SwebenchDataset(**{**material, "file": write(tmp_path / "tasks.json", [whole])})
    with SweEnv(dataset, sandbox=sandbox, image="host") as env, pytest.raises(ImageError, match="has no commit 1111"):
        env.reset()


def test_a_set_up_is_built_once_for_a_version_and_an_installation_for_each_task(
    material: dict[str, Any], tmp_path: Path, sandbox: Sandbox
) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "word.txt").write_text("from a wheel\n")
    (tmp_path / "setup.sh").write_text("cp /opt/wheels/word.txt /opt/word; date +%N%s > /opt/built")
    (tmp_path / "environments.toml").write_text(
        f'{ENVIRONMENTS}setup = "setup.sh"\nwheels = "wheels"\ninstall = "git log -1 --format=%s > /opt/installed"\n'
    )
    first = git(material["repositories"] / "demo__calc", "rev-list", "--max-parents=0", "v2")
    records = [record(material["repositories"] / "demo__calc")]
    records.append({**records[0], "instance_id": "demo__calc-2", "base_commit": first})
    options = {"environments": tmp_path / "environments.toml", "file": write(tmp_path / "tasks.json", records)}
    seen = []
    with SweEnv(SwebenchDataset(**{**material, **options}), sandbox=sandbox, image="host") as env:
        for task in env.dataset:
            env.start_episode(task)
            seen.append(env.step("cat /opt/word /opt/installed /opt/built")[0].splitlines())
    assert [lines[:2] for lines in seen] == [["from a wheel", "Doubling"], ["from a wheel", "Begin"]]
    assert seen[0][2] == seen[1][2], "the same set-up"


def test_a_set_up_that_fails_is_said(material: dict[str, Any], tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "setup.sh").write_text("echo no luck >&2; exit 3")
    (tmp_path / "environments.toml").write_text('["demo/calc"]\nsetup = "setup.sh"\n')
    dataset = SwebenchDataset(**{**material, "environments": tmp_path / "environments.toml"})
    with SweEnv(dataset, sandbox=sandbox, image="host") as env, pytest.raises(ImageError, match="no luck"):
        env.reset()


def test_a_repository_that_the_image_has_already_is_taken_away(
    material: dict[str, Any], tmp_path: Path, sandbox: Sandbox
) -> None:
    """It may hold what came later; what was built beside it stays. And a task may have an image of its own."""
    (tmp_path / "demo__calc-1").mkdir()
    base = images.find("host").with_layers(
        FilesLayer({"testbed/.git/objects/secret": SECRET, "testbed/built.so": "built", "testbed/calc.py": "old"})
    )
    dataset = SwebenchDataset(**material)
    with sandbox.start(dataset.image(dataset[0], base)) as session:
        shown = session.run(["bash", "-c", "cd /testbed; grep -rs 'came later' .git; cat built.so; git status --short"])
        assert shown.text == "built?? built.so\n"
    (tmp_path / "environments.toml").write_text('["demo/calc"]\nimage = "{id}"\nenv = {GREETING = "hello"}\n')
    own = SwebenchDataset(**{**material, "environments": tmp_path / "environments.toml"})
    image = own.image(own[0], base)
    assert image.name == f"{tmp_path}/demo__calc-1+demo__calc-1"
    assert image.env["GREETING"] == "hello"
