"""Classes are judged as functions are: a generated class, certified whole by the real sandbox."""

from __future__ import annotations

from intercode.datasets import load
from intercode.runs.certify.run import certify
from intercode.runs.settings import Settings


def test_a_function_and_a_class_are_certified() -> None:
    tasks = list(load("generated-python", count=40, seed=2))
    chosen = [
        next(task.id for task in tasks if ("test_setup_code" in task.extra) == is_class) for is_class in (True, False)
    ]
    found = certify(
        Settings("generated-python", dataset_options={"count": 40, "seed": 2}, tasks=tuple(chosen)), parallel=2
    )
    assert [verdict.task for verdict in found.certified] == [verdict.task for verdict in found.verdicts]
    assert len(found.verdicts) == 2
