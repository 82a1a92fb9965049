"""From settings to a certificate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from intercode import __version__
from intercode.runs.callback import ProgressCallback
from intercode.runs.certify import pool, python, sql
from intercode.runs.certify.check import TaskCertifier
from intercode.runs.certify.overlap import repeated
from intercode.runs.certify.verdict import Certificate, TaskVerdict
from intercode.runs.hackcheck.adversaries import of_world
from intercode.runs.hackcheck.adversary import Adversary
from intercode.runs.hackcheck.check import HackCheck
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Task


def certify(settings: Settings, *, parallel: int = 1, callback: ProgressCallback | None = None) -> Certificate:
    """Certify the tasks that *settings* choose, *parallel* at a time.

    Raises:
        UserError: If the settings are impossible.
        MachineError: If a sandbox or a database cannot be had.
        InterruptedRunError: After Ctrl-C.
    """
    callback = callback or ProgressCallback()
    with prepare(settings, say=callback.on_message) as job, prepare(settings) as elsewhere:
        job.try_out()
        adversaries = adversaries_of(job.settings.world)
        began = time.monotonic()
        if pool.suits(job):
            found = pool.BashPool(job, elsewhere, adversaries, parallel, callback).run()
        elif sql.suits(job):
            found = sql.SqlPool(job, elsewhere, adversaries, parallel, callback).run()
        elif python.suits(job):
            found = python.PythonCertifier(job, elsewhere, adversaries, parallel, callback).run()
        else:
            check = HackCheck(job, elsewhere, adversaries, parallel=parallel, callback=callback, reads_source=False)
            found = TaskCertifier(check).run()
        verdicts = without_repeats(found, job.tasks)
        about = {
            "version": __version__,
            "options": dict(job.settings.dataset_options),
            "image": job.settings.image,
            "scoring": job.scoring,
            "adversaries": [each.name for each in adversaries],
        }
        return Certificate(
            job.settings.dataset, next(iter(job.manifest.data.values())), verdicts, time.monotonic() - began, about
        )


def adversaries_of(world: str) -> tuple[Adversary, ...]:
    """Those of *world* that no task may pay: who only does the easiest work has done what an easy task asks for."""
    return tuple(each for each in of_world(world) if not each.does_easy_work)


def without_repeats(verdicts: Sequence[TaskVerdict], tasks: Sequence[Task]) -> tuple[TaskVerdict, ...]:
    """*verdicts* in which a task whose text an earlier one has is not certified."""
    twice = repeated(tasks)
    return tuple(
        replace(each, reasons=(*each.reasons, f"repeated text: {twice[each.task]} asks the same"))
        if each.task in twice
        else each
        for each in verdicts
    )
