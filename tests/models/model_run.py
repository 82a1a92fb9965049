"""A run over the toy world by an agent that asks a server: FOLDER URL SIZE PARALLEL TRIES. To be killed by tests."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "runs"))

from toy_world import toy_job

from intercode import models
from intercode.agents.react import ReactAgent
from intercode.errors import IntercodeError
from intercode.runs.budget import Budget, MeteredModel
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import Key
from intercode.runs.job import Job
from intercode.runs.resume import is_run, reopen
from intercode.runs.runner import Runner
from intercode.runs.store import RunStore


class Announcer(ProgressCallback):
    """Prints a long line for each stored episode: few fit into a pipe, so its reader decides how far it goes."""

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        print(f"stored {episode[0]} {'.' * 1000}\n", end="", flush=True)  # in one piece, as threads print at once


def model_job(url: str, size: int, *, tries: int = 8, budget: Budget | None = None) -> Job:
    """*size* toy tasks for an agent that asks the server at *url*."""
    budget = budget or Budget()
    options = {"wait": "0.01", "tries": str(tries), "timeout": "10", "price_in": "1", "price_out": "2"}
    model = models.load("toy", base_url=url, options=options)
    job = toy_job(size=size, make_agent=lambda: ReactAgent(model=MeteredModel(model, budget)))
    return replace(job, budget=budget, close_backend=model.close)


def main(folder: Path, url: str, size: int, parallel: int, tries: int) -> None:
    job = model_job(url, size, tries=tries)
    store = reopen(folder, job) if is_run(folder) else RunStore.create(folder, job.manifest)
    with store:
        Runner(job, store, parallel, Announcer()).run()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.argv[2], *(int(word) for word in sys.argv[3:]))
    except IntercodeError as error:
        sys.exit(f"{type(error).__name__}: {error}")
