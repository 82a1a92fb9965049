"""Loggers: what they get, and that what they raise never breaks a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from toy_world import toy_job

from intercode.errors import BadDataError, UnknownNameError
from intercode.report.logging_callback import LoggingCallback, flat
from intercode.report.report import report
from intercode.runs.runner import Runner
from intercode.runs.store import RunStore, read

LOGGER = """
import json
from intercode.loggers.base import Logger

class FileLogger(Logger):
    def set_up(self):
        self.lines = []
        {set_up}
    def on_episode(self, number, episode, figures):
        {on_episode}
        self.lines.append([number, episode.task.id, dict(figures)])
    def on_end(self, figures):
        (self.run / "logged.json").write_text(json.dumps([self.lines, dict(figures)]))
"""


def logged(folder: Path, *, set_up: str = "pass", on_episode: str = "pass") -> tuple[Path, list[str]]:
    """A run of six toy tasks with a logger of one's own, and what was said."""
    file = folder / "logger.py"
    file.write_text(LOGGER.format(set_up=set_up, on_episode=on_episode))
    said: list[str] = []
    job = toy_job(size=6)
    with RunStore.create(folder / "run", job.manifest) as store:
        callback = LoggingCallback(str(file), store, job.scoring, said.append)
        Runner(job, store, 3, callback).run()
    return folder / "run", said


def test_a_logger_gets_every_episode_and_at_the_end_what_the_report_says(tmp_path: Path) -> None:
    path, said = logged(tmp_path)
    lines, figures = json.loads((path / "logged.json").read_text())
    run = read(path)
    assert said == []
    assert [number for number, _, _ in lines] == [1, 2, 3, 4, 5, 6]
    assert {task for _, task, _ in lines} == {each.task.id for each in run.episodes}
    found = report(run).to_json()
    assert figures == flat({name: found[name] for name in ("planned", "missing", "summary", "errors")})
    assert figures["summary/rate"] == pytest.approx(sum(each["success"] for _, _, each in lines) / 6)


@pytest.mark.parametrize("place", ["set_up", "on_episode"])
def test_what_a_logger_raises_is_said_once_and_breaks_nothing(tmp_path: Path, place: str) -> None:
    path, said = logged(tmp_path, **{place: "raise ValueError('no disk\\nand more')"})
    assert len(read(path).episodes) == 6
    assert len(said) == 1
    assert said[0].endswith("logger.py failed, and logs no more of this run: ValueError: no disk")


@pytest.mark.parametrize("place", ["set_up", "on_episode"])
@pytest.mark.parametrize(
    ("raised", "said"),
    [("SystemExit(0)", "SystemExit: 0"), ("type('Odd', (Exception,), {'__str__': lambda self: 1})()", "Odd")],
)
def test_a_logger_cannot_end_a_run_by_other_means_either(tmp_path: Path, place: str, raised: str, said: str) -> None:
    path, lines = logged(tmp_path, **{place: f"raise {raised}"})
    assert len(read(path).episodes) == 6
    assert [line.rpartition("this run: ")[2] for line in lines] == [said]


def test_a_logger_that_there_is_not_is_refused(tmp_path: Path) -> None:
    job = toy_job(size=1)
    with RunStore.create(tmp_path / "run", job.manifest) as store:
        with pytest.raises(UnknownNameError, match=r"no logger called 'wandv'.* Did you mean 'wandb'"):
            LoggingCallback("wandv", store, "exact", print)
        with pytest.raises(BadDataError, match="there is no such Python file"):
            LoggingCallback("nowhere.py", store, "exact", print)


def test_only_finite_numbers_are_figures() -> None:
    found = {"a": 1, "b": {"c": 0.5, "d": float("nan"), "e": None, "f": True, "g": [1]}, "h": "x"}
    assert flat(found) == {"a": 1.0, "b/c": 0.5}
