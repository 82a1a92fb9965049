"""SWE-bench's format, as it is published, over repositories made here."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet
from swe_material import ENVIRONMENTS, SECRET, git, make_material, record

from intercode.datasets.base import Dataset
from intercode.datasets.swebench import SwebenchDataset
from intercode.errors import BadDataError, ImageError, UnknownNameError
from intercode.testing.repository_dataset import RepositoryDatasetContract
from intercode.worlds.swe import SweEnv
from intercode_sandbox import images
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.sandbox import Sandbox


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


def test_a_task_without_a_patch_can_be_played_but_not_scored(material: dict[str, Any], tmp_path: Path) -> None:
    whole = record(material["repositories"] / "demo__calc", patch="")
    assert SwebenchDataset(**{**material, "file": write(tmp_path / "tasks.json", [whole])})[0].gold is None


LACKING: tuple[dict[str, Any], ...] = (
    {"FAIL_TO_PASS": "[]"},
    {"FAIL_TO_PASS": []},
    {"FAIL_TO_PASS": ""},
    {"FAIL_TO_PASS": None},
    {},
)


@pytest.mark.parametrize("change", LACKING, ids=["JSON", "list", "text", "null", "missing"])
@pytest.mark.parametrize("ending", ["json", "jsonl", "parquet"])
def test_a_record_without_tests_to_mend_is_left_out_and_its_field_asked_for(
    material: dict[str, Any], tmp_path: Path, change: dict[str, Any], ending: str
) -> None:
    whole = record(material["repositories"] / "demo__calc")
    lacking = {**whole, "instance_id": "demo__calc-2", **change}
    if not change:
        del lacking["FAIL_TO_PASS"]
    if ending == "parquet" and change.get("FAIL_TO_PASS") == []:
        whole["FAIL_TO_PASS"] = json.loads(whole["FAIL_TO_PASS"])
    file = write(tmp_path / f"tasks.{ending}", [whole, lacking])
    dataset = SwebenchDataset(**{**material, "file": file})
    place = {"json": "record 1", "jsonl": "line 2", "parquet": "row 1"}[ending]
    state = "missing" if not change or change["FAIL_TO_PASS"] is None else "empty"
    why = f"{file}: {place}, field 'FAIL_TO_PASS' is {state}: name the tests that fail at the base commit"
    assert [task.id for task in dataset] == ["swebench/demo__calc-1"]
    assert dataset.left_out["demo__calc-2"].startswith(why)
    assert dataset.notes[0].startswith(f"1 record left out, such as demo__calc-2: {why}")
    for name in ("demo__calc-2", "swebench/demo__calc-2"):
        with pytest.raises(UnknownNameError, match=r"demo__calc-2 is not in swebench: .*'FAIL_TO_PASS'"):
            dataset.find(name)
    with pytest.raises(BadDataError, match="field 'FAIL_TO_PASS' is"):
        SwebenchDataset(**{**material, "file": write(tmp_path / f"alone.{ending}", [lacking])})


EVAL_SCRIPT = """\
#!/bin/bash
set -uxo pipefail
source /opt/miniconda3/bin/activate
conda activate testbed
cd /testbed
python -m pip install -e .
git checkout abc tests/test_calc.py
: '>>>>> Start Test Output'
pytest -rA -o addopts= -W ignore::DeprecationWarning tests/test_calc.py
: '>>>>> End Test Output'
git checkout abc tests/test_calc.py
"""
DJANGO_SCRIPT = EVAL_SCRIPT.replace(
    "pytest -rA -o addopts= -W ignore::DeprecationWarning tests/test_calc.py",
    "./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1 utils_tests.test_x",
)
RUNTESTS = ("--verbosity", "2", "--settings=test_sqlite", "--parallel", "1")
CONFIG = {
    "test_cmd": "pytest --no-header -rA --tb=line --color=no -p no:randomly tests",
    "log_parser": "parse_log_pytest",
    "env_vars": {"TZ": "UTC"},
    "install": "pip install -e .[dev]",
    "python": "3.9",
}


@pytest.mark.parametrize(
    ("columns", "runner", "script", "arguments"),
    [
        ({"eval_script": EVAL_SCRIPT}, "pytest", "", ("-o", "addopts=", "-W", "ignore::DeprecationWarning")),
        ({"log_parser": "parse_log_pytest_v2"}, "pytest", "", ()),
        ({"install_config": CONFIG}, "pytest", "", ("-p", "no:randomly")),
        ({"install_config": json.dumps(CONFIG)}, "pytest", "", ("-p", "no:randomly")),
        ({"eval_script": "cd /testbed\npython -m unittest -v tests.test_calc"}, "unittest", "", ()),
        ({"eval_script": DJANGO_SCRIPT}, "unittest", "tests/runtests.py", RUNTESTS),
        ({"log_parser": "parse_log_django"}, "unittest", "", ()),
    ],
    ids=["SWE-bench 5", "parser", "SWE-rebench", "as JSON", "unittest", "django", "django's parser"],
)
def test_a_record_says_how_its_tests_are_run(
    material: dict[str, Any], tmp_path: Path, columns: dict[str, Any], runner: str, script: str, arguments: tuple[str]
) -> None:
    whole = record(material["repositories"] / "demo__calc", **columns)
    file = write(tmp_path / "tasks.jsonl", [whole])
    suite = SwebenchDataset(file=file, repositories=material["repositories"])[0].extra["suite"]
    assert (suite.runner, suite.script, suite.arguments) == (runner, script, arguments)
    described = SwebenchDataset(**{**material, "file": file})[0].extra["suite"]
    assert (described.runner, described.script, described.arguments, described.seconds) == ("pytest", "", (), 30)


def test_lists_of_tests_may_be_written_as_in_swe_bench_pro(material: dict[str, Any], tmp_path: Path) -> None:
    whole = record(material["repositories"] / "demo__calc", requirements="- add adds", interface="add(a, b)")
    whole |= {"fail_to_pass": "['a::b[\"x\"]', \"a::c['y']\"]", "pass_to_pass": "[]"}
    del whole["FAIL_TO_PASS"], whole["PASS_TO_PASS"]
    task = SwebenchDataset(**{**material, "file": write(tmp_path / "tasks.json", [whole])})[0]
    assert (task.extra["FAIL_TO_PASS"], task.extra["PASS_TO_PASS"]) == (('a::b["x"]', "a::c['y']"), ())
    assert task.query.endswith("\n\nRequirements:\n- add adds\n\nInterface:\nadd(a, b)")


def test_columns_that_change_nothing_are_named(material: dict[str, Any], tmp_path: Path) -> None:
    columns = {
        "before_repo_set_cmd": "git checkout abc -- tests",
        "install_config": CONFIG,
        "eval_script": "make check",
    }
    whole = record(material["repositories"] / "demo__calc", **columns)
    notes = SwebenchDataset(**{**material, "file": write(tmp_path / "tasks.json", [whole])}).notes
    named = [note.partition(" is not used")[0].rpartition(" ")[2] for note in notes]
    assert named == ["before_repo_set_cmd", "install_config.install", "install_config.python"]
    assert SwebenchDataset(**material).notes == ()


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"repo_language": "go"}, "field 'repo_language' is 'go', and only tests of Python can be run"),
        ({"language": "Rust"}, "field 'language' is 'rust'"),
        ({"log_parser": "parse_log_cargo"}, "field 'log_parser' is 'parse_log_cargo', and only pytest and unittest"),
        ({"eval_script": "PYTHONWARNINGS=x bin/test -C --verbose sympy/x.py"}, "only pytest and unittest can be run"),
    ],
)
def test_a_record_whose_tests_cannot_be_run_here_is_left_out(
    material: dict[str, Any], tmp_path: Path, columns: dict[str, Any], said: str
) -> None:
    whole = record(material["repositories"] / "demo__calc")
    other = {**whole, "instance_id": "demo__calc-2", **columns}
    dataset = SwebenchDataset(**{**material, "file": write(tmp_path / "tasks.json", [whole, other])})
    assert (len(dataset), said in dataset.left_out["demo__calc-2"]) == (1, True)


IMAGES = (
    {"image": "example.org/sweb/calc:1"},
    {"docker_image": "example.org/sweb/calc:1"},
    {"image_name": "example.org/sweb/calc:1"},
    {"dockerhub_tag": "calc-1"},
)


@pytest.mark.parametrize("columns", IMAGES, ids=lambda columns: next(iter(columns)))
def test_a_record_that_names_an_image_stands_on_it_or_says_that_it_cannot(
    material: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: dict[str, str]
) -> None:
    """Where no image is chosen, and no file describes the repository."""
    name = columns.get("dockerhub_tag") and "jefzda/sweap-images:calc-1"
    file = write(tmp_path / "tasks.json", [record(material["repositories"] / "demo__calc", **columns)])
    dataset = SwebenchDataset(file=file, repositories=material["repositories"])
    default = images.find(dataset.default_image)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ImageError, match=f"names the image {name or 'example.org/sweb/calc:1'}, which needs docker"):
        dataset.image(dataset[0], default)
    assert dataset.image(dataset[0], images.find("debian:trixie")).name == "debian:trixie+demo__calc-1"
    described = SwebenchDataset(**{**material, "file": file})
    assert described.image(described[0], default).name == "debian:bookworm+demo__calc-1"


def test_an_image_with_a_digest_is_taken_with_the_programs_that_the_script_activates(
    material: dict[str, Any], tmp_path: Path
) -> None:
    columns = {"image": f"example.org/sweb/calc@sha256:{'a' * 64}", "eval_script": EVAL_SCRIPT}
    file = write(tmp_path / "tasks.json", [record(material["repositories"] / "demo__calc", **columns)])
    dataset = SwebenchDataset(file=file, repositories=material["repositories"])
    image = dataset.image(dataset[0], images.find(dataset.default_image))
    assert image.name == f"docker:{columns['image']}+demo__calc-1"
    assert image.env["PATH"].startswith("/opt/miniconda3/envs/testbed/bin:/usr/")


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


def test_preparing_tries_the_gold_and_what_passes_without_one(
    material: dict[str, Any], tmp_path: Path, sandbox: Sandbox
) -> None:
    whole = record(material["repositories"] / "demo__calc")
    records = [whole, {**whole, "instance_id": "demo__calc-2", "PASS_TO_PASS": '["tests/test_calc.py::test_nothing"]'}]
    records.append(
        {**whole, "instance_id": "demo__calc-3", "FAIL_TO_PASS": whole["PASS_TO_PASS"], "PASS_TO_PASS": "[]"}
    )
    dataset = SwebenchDataset(**{**material, "file": write(tmp_path / "tasks.json", records)})
    with SweEnv(dataset, sandbox=sandbox, image="host") as env:
        env.start_episode(dataset[0])
        assert env.fault() == ""
        env.start_episode(dataset[1])
        with pytest.raises(ImageError, match="test_nothing: no test has this name, also with the gold"):
            env.fault()
        env.start_episode(dataset[2])
        with pytest.raises(ImageError, match="passed without a fix"):
            env.fault()


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


def test_a_set_up_reaches_the_hosts_that_are_named_and_no_others(
    material: dict[str, Any], tmp_path: Path, sandbox: Sandbox
) -> None:
    """The agent has no network for that."""
    ask = "import os, urllib.request, sys\nsys.stdout.write(os.environ.get('http_proxy', 'no network'))\n"
    ask += "try: urllib.request.urlopen('http://example.com/')\nexcept OSError as error: print(error)\n"
    (tmp_path / "setup.sh").write_text(f"python3 - > /opt/asked <<'END'\n{ask}END\n")
    (tmp_path / "environments.toml").write_text(f'{ENVIRONMENTS}setup = "setup.sh"\nnetwork = ["example.invalid"]\n')
    dataset = SwebenchDataset(**{**material, "environments": tmp_path / "environments.toml"})
    with SweEnv(dataset, sandbox=sandbox, image="host") as env:
        env.reset()
        asked, *_ = env.step("cat /opt/asked")
        assert "127.0.0.1" in asked
        assert "403" in asked, "the proxy answers, and refuses"
        assert "127.0.0.1" not in env.step("echo $http_proxy")[0]


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


def make_wheel(folder: Path) -> None:
    """A wheel of the package `greeting`."""
    folder.mkdir()
    about = "greeting-1.0.dist-info"
    files = {
        "greeting.py": "def greet(): return 'hello'\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(folder / "greeting-1.0-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)


DOCUMENTATION = Path(__file__).parents[2] / "docs" / "how-to" / "software-engineering.md"


def test_packages_are_installed_on_the_host_as_the_documentation_says(tmp_path: Path, sandbox: Sandbox) -> None:
    """By its file of settings and its script: the agent imports them, and so do hidden tests."""
    with sandbox.start(images.find("host")) as session:
        if session.run(["python3", "-m", "pip", "--version"]).exit_code:
            pytest.skip("this machine's own Python has no pip: nothing can be installed with it")
    text = DOCUMENTATION.read_text(encoding="utf-8").partition("### Packages")[2]
    options = make_material(tmp_path)
    options["environments"].write_text(text.partition("```toml\n")[2].partition("```")[0])
    (tmp_path / "setup.sh").write_text(text.partition("```sh\n")[2].partition("```")[0])
    make_wheel(tmp_path / "wheels")
    row = record(options["repositories"] / "demo__calc")
    row["test_patch"] = row["test_patch"].replace("+def test_add():", "+def test_add():\n+    import greeting")
    row["test_patch"] = row["test_patch"].replace(",7 @@", ",8 @@")
    write(options["file"], [row])
    with SweEnv(SwebenchDataset(**options), sandbox=sandbox, image="host") as env:
        env.reset()
        said = env.step("python3 -c 'import greeting, pytest; print(greeting.greet())'")[0]
        assert said == "hello\n"
        env.step(env.task.gold or "")
        assert env.step("submit")[1] == 1
