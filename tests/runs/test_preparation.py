"""What playing needs, made ahead."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from toy_world import toy_job

from env.tiny import TinyDataset
from intercode import datasets
from intercode.errors import InterruptedRunError, SandboxError
from intercode.runs.job import Job
from intercode.runs.preparation import Preparation, prepare_task
from intercode.runs.settings import Settings
from intercode.runs.verdicts import Verdict, Verdicts, playable
from intercode.worlds.bash import BashEnv
from intercode_sandbox.images import Image
from intercode_sandbox.scripted import ScriptedSandbox

DATASET = TinyDataset(tasks=(("Say hi.", "echo hi"), ("Say ho.", "echo ho")))
SCRIPT = {"echo hi": "hi\n", "echo ho": "ho\n"}


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))


def job(sandbox: ScriptedSandbox, image: Image) -> Job:
    def make_env() -> BashEnv:
        return BashEnv(DATASET, sandbox=sandbox, image=image)

    return replace(toy_job(), tasks=tuple(DATASET), make_env=make_env)


@pytest.mark.parametrize("parallel", [1, 2])
def test_golds_are_on_disk_afterwards_and_the_next_process_runs_none(tmp_path: Path, parallel: int) -> None:
    sandbox = ScriptedSandbox(SCRIPT)
    found = Preparation(job(sandbox, Image("plain", ())), parallel).run()
    assert found == (Verdict("tiny/0", 1), Verdict("tiny/1", 1))
    assert len(list((tmp_path / "cache" / "golds").glob("*/*.json"))) == 2
    again = ScriptedSandbox(SCRIPT)
    assert Preparation(job(again, Image("plain", ())), parallel).run() == found
    assert not [argv for argv in again.ran if argv[-1] in SCRIPT]


def test_golds_that_others_would_not_find_the_same_are_not_kept(tmp_path: Path) -> None:
    found = Preparation(job(ScriptedSandbox(SCRIPT), Image("own", (), hostname="own", reproducible=False))).run()
    assert [each.golds for each in found] == [0, 0]
    assert not (tmp_path / "cache" / "golds").exists()


def test_what_the_machine_fails_at_is_told_task_by_task() -> None:
    broken = ScriptedSandbox(SCRIPT, fails={0: SandboxError("gave way")})
    first, second = Preparation(job(broken, Image("plain", ()))).run()
    assert first.error == "SandboxError: gave way"
    assert not first.is_good
    assert second.is_good


def test_a_world_without_golds_on_disk_is_prepared_too() -> None:
    assert [each.is_good for each in Preparation(toy_job(size=2)).run()] == [True, True]
    assert json.dumps([each.golds for each in Preparation(toy_job(size=2)).run()]) == "[0, 0]"


def test_what_was_found_is_kept_and_what_was_good_is_not_tried_again(tmp_path: Path) -> None:
    tried = list[str]()

    class Judged(BashEnv):
        def keep_golds(self) -> int:
            tried.append(self.task.id)
            return 0

        def fault(self) -> str:
            return "doing nothing earns 1" if self.task.id == "tiny/1" else ""

    sandbox = ScriptedSandbox(SCRIPT)
    make_env = partial(Judged, DATASET, sandbox=sandbox, image=Image("plain", ()))
    work = replace(toy_job(), tasks=tuple(DATASET), make_env=make_env)
    assert [each.error for each in Preparation(work).run()] == ["", "doing nothing earns 1"]
    assert [each.error for each in Preparation(work).run()] == ["", "doing nothing earns 1"]
    assert tried == ["tiny/0", "tiny/1", "tiny/1"]


def test_what_is_stopped_says_nothing_of_the_task() -> None:
    """Its sandbox is closed then, which looks like a fault of the machine."""
    stopped = Event()

    class Interrupted(BashEnv):
        def keep_golds(self) -> int:
            stopped.set()
            raise SandboxError("this session is closed; start another")

    def moved() -> None:
        if stopped.is_set():
            raise InterruptedRunError("stopped")

    env = Interrupted(DATASET, sandbox=ScriptedSandbox(SCRIPT), image=Image("plain", ()))
    verdicts = Verdicts.of(toy_job().settings)
    with pytest.raises(InterruptedRunError):
        prepare_task((env,), DATASET[0], moved, verdicts=verdicts)
    assert verdicts.find(DATASET, DATASET[0]) is None


def test_a_run_leaves_out_what_was_found_not_to_be_playable(tmp_path: Path) -> None:
    settings, said = Settings("starter"), list[str]()
    dataset = datasets.load("starter")
    verdicts = Verdicts.of(settings)
    assert playable(settings, dataset, said.append) == settings
    first, second, *others = (task.id for task in dataset)
    verdicts.keep(Verdict(first, error="its solution does not pass", checksum=dataset.checksum))
    verdicts.keep(Verdict(second, error="it changed since then", checksum="another"))
    assert playable(settings, dataset, said.append).tasks == (second, *others)
    assert said == [
        "1 task left out, as `intercode data prepare` found; --tasks plays it by name:",
        f"  {first}: its solution does not pass",
    ]
    named = settings.changed(tasks=(first,))
    assert playable(named, dataset, said.append) == named
    assert Verdicts.of(settings.changed(network="allow")).folder != verdicts.folder
