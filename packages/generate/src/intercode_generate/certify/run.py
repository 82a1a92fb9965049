"""From settings to a certificate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from intercode import __version__
from intercode.adversaries.adversary import Adversary
from intercode.audit.hackcheck.adversaries import of_world
from intercode.audit.hackcheck.check import HackCheck
from intercode.runs.callback import ProgressCallback
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Task
from intercode_generate.certify.check import TaskCertifier
from intercode_generate.certify.overlap import repeated
from intercode_generate.certify.verdict import Certificate, TaskVerdict


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
    """Return those of *world* that no task may pay.

    Who only does the easiest work has done what an easy task asks for.
    """
    return tuple(each for each in of_world(world) if not each.does_easy_work)


def without_repeats(verdicts: Sequence[TaskVerdict], tasks: Sequence[Task]) -> tuple[TaskVerdict, ...]:
    """Return *verdicts* in which a task whose text an earlier one has is not certified."""
    twice = repeated(tasks)
    return tuple(
        replace(each, reasons=(*each.reasons, f"repeated text: {twice[each.task]} asks the same"))
        if each.task in twice
        else each
        for each in verdicts
    )
