"""What wandb, mlflow and TensorBoard have of a run is what `intercode report` says of it."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from intercode.report.logging_callback import flat

PROGRAM = Path(sys.executable).with_name("intercode")
BLOCK = 32 * 1024
TASKS = "list-confs,count-january,show-port"


def intercode(folder: Path, *words: str, **environment: str) -> str:
    done = subprocess.run(
        [PROGRAM, *words],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed" not in done.stderr, done.stderr
    return done.stdout


def play(folder: Path, logger: str, **environment: str) -> dict[str, float]:
    """What the report says of a run that was logged."""
    script = {"moves": {"starter/bash/list-confs": ["ls", "submit"], "starter/bash/show-port": ["skip"]}}
    (folder / "script.json").write_text(json.dumps(script))
    words = ["-a", "scripted", "--agent-option", "script=script.json", "--tasks", "list-confs,show-port"]
    intercode(folder, "run", *words, "-p", "2", "-o", "run", "--log", logger, **environment)
    (report,) = json.loads(intercode(folder, "report", "run", "--json"))
    return flat({name: report[name] for name in ("planned", "missing", "summary", "errors")})


def records(data: bytes) -> Iterator[bytes]:
    """What is in a file of wandb's: a head of 7 bytes, then a log as LevelDB writes it, in blocks of 32 KiB.

    Each piece has a checksum, its length and its kind: 1 is whole, 2 to 4 are the first, further and last of one.
    """
    place, whole = 7, b""
    while place + 7 <= len(data):
        if BLOCK - place % BLOCK < 7:  # no head fits into what is left
            place += BLOCK - place % BLOCK
            continue
        length, kind = struct.unpack_from("<HB", data, place + 4)
        whole += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):
            yield whole
            whole = b""


def assert_same(logged: dict[str, Any], reported: dict[str, float]) -> None:
    assert len(reported) > 15
    for name, value in reported.items():
        assert math.isclose(logged[name], value, rel_tol=1e-6), name


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of SQLAlchemy, about what MLflow asks of it
def test_mlflow_has_what_the_report_has(tmp_path: Path) -> None:
    from mlflow import MlflowClient

    uri = f"sqlite:///{tmp_path}/mlflow.db"
    reported = play(tmp_path, "mlflow", MLFLOW_TRACKING_URI=uri)
    client = MlflowClient(uri)
    experiment = client.get_experiment_by_name("intercode")
    (run,) = client.search_runs([experiment.experiment_id])
    assert_same(run.data.metrics, reported)
    assert (run.info.status, run.info.run_name) == ("FINISHED", "run")
    assert run.data.params["agent"] == "scripted"
    assert len(client.get_metric_history(run.info.run_id, "episode/turns")) == 2


def test_tensorboard_has_what_the_report_has(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    reported = play(tmp_path, "tensorboard")
    found = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    found.Reload()
    assert_same({name: found.Scalars(name)[-1].value for name in found.Tags()["scalars"]}, reported)
    assert [event.step for event in found.Scalars("episode/turns")] == [1, 2]


def test_wandb_has_what_the_report_has_without_a_network(tmp_path: Path) -> None:
    from wandb.proto import wandb_internal_pb2

    reported = play(tmp_path, "wandb", WANDB_MODE="offline", WANDB_PROJECT="mine")
    (file,) = (tmp_path / "wandb").glob("offline-run-*/*.wandb")
    summary: dict[str, Any] = {}
    steps, project = 0, ""
    for data in records(file.read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        project = project or record.run.project
        steps += any("episode/turns" in (item.key, *item.nested_key) for item in record.history.item)
        for item in record.summary.update:
            summary[item.key or "/".join(item.nested_key)] = json.loads(item.value_json)
    assert project == "mine"
    assert steps == 2
    assert_same(summary, reported)


@pytest.mark.parametrize("logger", ["mlflow"])
def test_a_store_that_cannot_be_reached_never_breaks_a_run(tmp_path: Path, logger: str) -> None:
    (tmp_path / "file").touch()
    uri = f"sqlite:///{tmp_path}/file/below.db"
    done = subprocess.run(
        [PROGRAM, "run", "--tasks", TASKS, "-o", "run", "--log", logger],
        cwd=tmp_path,
        env={**os.environ, "MLFLOW_TRACKING_URI": uri},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("--log mlflow failed") == 1
    assert len((tmp_path / "run" / "episodes.jsonl").read_text().splitlines()) == 3
