"""Somebody in IPython with a world: DATASET SHELL DATABASE. Ctrl-C, at the prompt and while an action runs."""

from __future__ import annotations

import sys
import time

from interrupted_session import children, until_interrupted

from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Action

ENDLESS = {
    "bash": "sleep 60",
    "ctf": "sleep 60",
    "swe": "sleep 60",
    "python": "import time; time.sleep(60)",
    "sql": "SELECT SLEEP(60)",
}
SEEN = {"sql": "here1"}
HARMLESS = {"python": "print('her' + 'e')", "sql": "SELECT CONCAT('her', 'e', 'aab' REGEXP '(a+)+b')"}


def main(dataset: str, shell: str, database: str) -> None:
    settings = Settings(dataset=dataset, turns=50, limit=1).changed(shell=shell, database=database)
    with prepare(settings) as job, job.make_env() as env:
        task = job.tasks[0]
        world = job.settings.world
        harmless = Action("execute", HARMLESS.get(world, "echo her''e"))
        seen = SEEN.get(world, "here")
        env.start_episode(task)
        assert seen in env.take_action(harmless).observation.text
        for work in (lambda: time.sleep(60), lambda: env.take_action(Action("execute", ENDLESS[world]))):
            session = env.session
            assert children() or database == "sqlite", "nothing was started that Ctrl-C could end"
            until_interrupted(work)
            assert seen in env.take_action(harmless).observation.text
            assert env.session is session
            with env.snapshot() as snapshot, env.fork() as twin:
                assert seen in twin.take_action(harmless).observation.text
                env.restore(snapshot)
        if world == "sql":
            assert env.take_action(Action("execute", str(task.gold))).observation.text
        assert env.take_action(Action("submit")).scores is not None
        env.start_episode(task)
        assert seen in env.take_action(harmless).observation.text
    print("all is well", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
