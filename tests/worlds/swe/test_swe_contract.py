"""The software engineering world keeps the contract, with both shells."""

from __future__ import annotations

import pytest

from intercode.testing.env import EnvContract, MakeEnv
from intercode.worlds.swe import SweEnv
from intercode.worlds.swe.datasets.starter_swe import StarterSweDataset
from intercode_sandbox.sandbox import Sandbox


class FewTasks(StarterSweDataset):
    """Three of our repositories."""

    def __init__(self) -> None:
        super().__init__()
        self._tasks = tuple(task for task in self._tasks if task.extra["suite"].runner == "unittest")[:3]


class TestFresh(EnvContract):
    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: SweEnv(FewTasks(), **{"sandbox": sandbox, **options})


class TestPersistent(EnvContract):
    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: SweEnv(FewTasks(), **{"sandbox": sandbox, "shell": "persistent", **options})
