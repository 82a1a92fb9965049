"""Settings, and what is made of them."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest
from toy_world import ToyDataset, toy_job

from intercode.errors import BadDataError, ImageError, UnknownNameError, UnsafeError, UserError
from intercode.models.scripted import ScriptedModel
from intercode.runs import manifest, store
from intercode.runs.job import prepare
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore
from intercode.runs.task_selection import select
from intercode_sandbox.scripted import ScriptedSandbox


def ids(*wanted: str, limit: int | None = None) -> list[str]:
    return [task.id for task in select(ToyDataset(12), wanted, limit)]


def test_without_names_all_tasks_are_chosen() -> None:
    assert len(ids()) == 12
    assert ids(limit=2) == ["toy/0", "toy/1"]
    assert len(ids(limit=99)) == 12


def test_tasks_are_chosen_by_id_end_of_id_and_pattern_each_once_and_in_order() -> None:
    assert ids("toy/1*", "3", "toy/0", "toy/1", "*/1") == ["toy/0", "toy/1", "toy/3", "toy/10", "toy/11"]
    assert ids("1?", limit=1) == ["toy/10"]


def test_tasks_can_be_left_out_before_the_rest_is_counted() -> None:
    out = {"toy/0", "toy/2", "elsewhere/1"}
    assert [task.id for task in select(ToyDataset(12), (), 2, out)] == ["toy/1", "toy/3"]
    assert [task.id for task in select(ToyDataset(12), ("toy/0", "3"), None, out)] == ["toy/3"]
    with pytest.raises(UserError, match="leaves no task"):
        select(ToyDataset(12), ("0", "2"), None, out)


@pytest.mark.parametrize("name", ["toy/12", "9*9", "nothing"])
def test_a_name_that_fits_nothing_is_named(name: str) -> None:
    with pytest.raises(UserError, match=r"intercode tasks toy|it has 12"):
        ids(name)


def test_settings_come_back_from_json() -> None:
    settings = Settings(agent_options={"script": "x"}, tasks=("a", "b"), limit=3, dataset_options={"n": 1})
    assert Settings.from_json(json.loads(json.dumps(settings.to_json()))) == settings


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (Settings(limit="3"), "limit"),  # type: ignore[arg-type]
        (Settings(tasks="toy/1"), "tasks"),  # type: ignore[arg-type]
        (Settings(agent_options={"top_p": 1}), "agent_options"),  # type: ignore[dict-item]
        (Settings(scoring="strict"), "scoring"),  # type: ignore[arg-type]
    ],
)
def test_a_setting_of_another_type_is_named(settings: Settings, named: str) -> None:
    with pytest.raises(UserError, match=rf"cannot be played: .*\.{named}"):
        prepare(settings)


def test_a_run_of_more_episodes_than_a_machine_can_plan_is_refused() -> None:
    with pytest.raises(UserError, match="000,000,000 episodes; a run has at most 10,000,000"):
        prepare(Settings(repeat=1_000_000_000))


def test_settings_of_another_version_are_refused() -> None:
    with pytest.raises(BadDataError, match="colour"):
        Settings.from_json(Settings().to_json() | {"colour": "red"})


def test_differences_are_told_for_people() -> None:
    assert Settings(turns=5).differences(Settings(turns=6, seed=1)) == ["turns is 5, not 6", "seed is 0, not 1"]


def test_a_manifest_comes_back_from_its_file(tmp_path: Path) -> None:
    written = toy_job().manifest
    manifest.write(written, tmp_path)
    assert manifest.read(tmp_path) == written
    assert not list(tmp_path.glob("*.new"))


def test_a_manifest_names_the_versions_of_everything() -> None:
    versions = manifest.machine()
    assert set(versions) == {"intercode", "python", "kernel", "architecture", "system", "bubblewrap"}
    assert versions["kernel"]


def test_every_field_of_a_manifest_is_stored() -> None:
    stored = set(toy_job().manifest.to_json())
    assert stored == {field.name for field in fields(manifest.Manifest)}


def test_the_data_set_of_a_run_is_found_from_where_the_run_was_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("there/mine", "there/runs/one", "here"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "there" / "nl2bash").touch()

    def found(dataset: str, begun_in: str) -> str:
        made = replace(toy_job().manifest, settings=Settings(dataset=dataset), begun_in=begun_in)
        return manifest.settings_here(made, Path("../there/runs/one")).dataset

    monkeypatch.chdir(tmp_path / "here")
    assert found("./mine", "../..") == found(".", "../../mine") == "../there/mine"
    assert found(str(tmp_path / "there" / "mine"), "../..") == str(tmp_path / "there" / "mine")
    assert found("nl2bash", "../..") == "nl2bash"  # ours, though a file there is called so
    with pytest.raises(BadDataError, match=r"there is no \./mine here: go to"):
        found("./mine", "")
    (tmp_path / "here" / "mine").mkdir()
    assert found("./mine", "") == "./mine"


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        (Settings(agent="orakel"), UnknownNameError, "no agent called 'orakel'; there are: .*oracle"),
        (Settings(sandbox="bunker"), UnknownNameError, "no sandbox called 'bunker'"),
        (Settings(sandbox="docker-cli"), UnknownNameError, "Did you mean 'docker'?"),  # as it was once called
        (Settings(dataset="startet"), UnknownNameError, "startet"),
        (Settings(image="windows"), UserError, "windows"),
        (Settings(world="venus"), UnknownNameError, "no world called 'venus'"),
        (Settings(sandbox="local"), UnsafeError, "--i-know-this-is-unsafe"),
        (
            Settings(agent_options={"speed": "9"}),
            UnknownNameError,
            "no option called 'speed'; there are: look",
        ),
        (Settings(agent="scripted", agent_options={"speed": "9"}), UnknownNameError, "'speed'; there are: script"),
        (Settings(handicap=True), UserError, "--handicap: in the world bash there is no database.*leave it out"),
        (Settings(database="sqlite"), UserError, "--database: in the world bash there is no database; leave it out"),
        (Settings(attempts=2), UserError, "--attempts: in the world bash"),
        (Settings(dataset="starter-sql", shell="persistent"), UserError, "--shell: in the world sql there is no shell"),
        (Settings(agent="scripted"), UserError, "script=FILE"),
        (Settings(turns=0), UserError, "--turns"),
        (Settings(limit=0), UserError, "--limit"),
        (Settings(dataset="starter-sql", sandbox="docker"), UserError, "runs on a database.*--database"),
        (
            Settings(dataset_options={"colour": "red"}),
            UnknownNameError,
            "no option called 'colour': it takes none",
        ),
        (
            Settings(dataset="nl2bash", dataset_options={"colour": "red"}),
            UnknownNameError,
            "'colour'; there are: file_system, folder",
        ),
    ],
    ids=lambda value: str(value)[-40:] if isinstance(value, str) else "",
)
def test_what_cannot_be_is_refused_at_the_door(settings: Settings, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        prepare(settings).close()


def test_blanks_are_filled_by_the_data_set() -> None:
    with prepare(Settings(limit=2, sandbox="scripted")) as job:
        assert (job.settings.world, job.settings.image, job.settings.scoring) == ("bash", "host", "exact")
        assert job.manifest.data == {"starter": job.manifest.data["starter"]}
        assert not job.manifest.reproducible
        assert len(job.tasks) == job.episodes == 2


@pytest.mark.parametrize("at", ["runs.job.env_of", "runs.provenance.build_manifest"])
def test_what_was_opened_for_a_job_that_cannot_be_is_closed(
    at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise UserError("they do not go together")

    closed: list[str] = []
    for kind in (ScriptedSandbox, ScriptedModel):
        monkeypatch.setattr(kind, "close", lambda self: closed.append(type(self).__name__))
    monkeypatch.setattr(f"intercode.{at}", refuse)
    replies = tmp_path / "replies.json"
    replies.write_text('{"replies": {"": ["submit"]}}')
    with pytest.raises(UserError, match="do not go together"):
        prepare(Settings(limit=1, sandbox="scripted", agent="react", model=f"scripted:{replies}"))
    assert closed == ["ScriptedSandbox", "ScriptedModel"]


def _tasks(folder: Path, **recipes: str) -> Path:
    """Tasks of Harbor's that differ in the last line of their Dockerfile."""
    for name, line in recipes.items():
        task = folder / name
        for part in ("environment", "tests"):
            (task / part).mkdir(parents=True)
        (task / "task.toml").write_text("[agent]\ntimeout_sec = 30\n")
        (task / "instruction.md").write_text("Do nothing.\n")
        (task / "environment" / "Dockerfile").write_text(f"FROM debian:12\nWORKDIR /app\n{line}\n")
        (task / "tests" / "test.sh").write_text("#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n")
    return folder


def test_a_task_that_cannot_be_built_is_an_error_and_the_others_are_played(tmp_path: Path) -> None:
    bad = {"a": "RUN false", "b": "RUN apt-get install -y nosuchpackage", "c": "RUN echo no >&2; exit 3"}
    folder = _tasks(tmp_path / "tasks", **bad, d="RUN true")
    job = prepare(Settings(dataset=str(folder)))
    job.try_out()
    with RunStore.create(tmp_path / "run", job.manifest) as open_store:
        Runner(job, open_store).run()
    episodes = {each.task.id: each for each in store.read(tmp_path / "run").episodes}
    assert [name for name, each in episodes.items() if each.status != "error"] == ["tasks/d"]
    assert "line 3: RUN false (without a network): ended with status 1; it printed nothing" in episodes["tasks/a"].error
    assert "installs nosuchpackage, which this machine lacks" in episodes["tasks/b"].error
    assert episodes["tasks/c"].error.endswith("ended with status 3; its last line: no")


def test_where_the_first_tasks_cannot_be_built_for_one_reason_nothing_is_begun(tmp_path: Path) -> None:
    folder = _tasks(tmp_path / "tasks", a="RUN false", b="RUN false", c="RUN false", d="RUN true")
    with prepare(Settings(dataset=str(folder))) as job, pytest.raises(ImageError, match="RUN false"):
        job.try_out()
