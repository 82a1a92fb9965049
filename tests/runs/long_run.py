"""A run over the toy world, as a program of its own, to be stopped and killed by tests: FOLDER SECONDS PARALLEL."""

from __future__ import annotations

import sys
from pathlib import Path

from toy_world import toy_job

from intercode.errors import IntercodeError
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import Key
from intercode.runs.resume import is_run, reopen
from intercode.runs.runner import Runner
from intercode.runs.store import RunStore

SIZE = 20


class Announcer(ProgressCallback):
    """Prints a line when an episode is begun, and when it is stored; in one piece, as threads print at once."""

    def on_reset(self, episode: Key) -> None:
        print(f"began {episode[0]}\n", end="", flush=True)

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        print(f"stored {episode[0]}\n", end="", flush=True)


def main(folder: Path, seconds: str, parallel: int) -> None:
    moves = {f"toy/{number}": [f"sleep {seconds}", f"say {number}"] for number in range(SIZE)}
    job = toy_job(moves, size=SIZE)
    store = reopen(folder, job) if is_run(folder) else RunStore.create(folder, job.manifest)
    print(store.note, flush=True)
    with store:
        Runner(job, store, parallel, Announcer()).run()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    except IntercodeError as error:
        sys.exit(f"{type(error).__name__}: {error}")
