"""What playing needs, made ahead."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from toy_world import toy_job

from envs.tiny import TinyDataset
from intercode.envs.bash import BashEnv
from intercode.errors import SandboxError
from intercode.runs.job import Job
from intercode.runs.preparation import Preparation, TaskPreparation
from intercode.sandboxes.images import Image
from intercode.sandboxes.scripted import ScriptedSandbox

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
    assert found == (TaskPreparation("tiny/0", 1), TaskPreparation("tiny/1", 1))
    assert len(list((tmp_path / "cache" / "golds").glob("*/*.json"))) == 2
    again = ScriptedSandbox(SCRIPT)
    assert Preparation(job(again, Image("plain", ())), parallel).run() == found
    assert not [argv for argv in again.ran if argv[-1] in SCRIPT]


def test_golds_that_others_would_not_find_the_same_are_not_kept(tmp_path: Path) -> None:
    found = Preparation(job(ScriptedSandbox(SCRIPT), Image("own", (), hostname="own", reproducible=False))).run()
    assert [each.golds for each in found] == [0, 0]
    assert not list((tmp_path / "cache").rglob("*.json"))


def test_what_the_machine_fails_at_is_told_task_by_task() -> None:
    broken = ScriptedSandbox(SCRIPT, fails={0: SandboxError("gave way")})
    first, second = Preparation(job(broken, Image("plain", ()))).run()
    assert first.error == "SandboxError: gave way"
    assert not first.is_good
    assert second.is_good


def test_a_world_without_golds_on_disk_is_prepared_too() -> None:
    assert [each.is_good for each in Preparation(toy_job(size=2)).run()] == [True, True]
    assert json.dumps([each.golds for each in Preparation(toy_job(size=2)).run()]) == "[0, 0]"
