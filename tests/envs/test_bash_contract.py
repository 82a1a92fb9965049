"""The Bash world keeps the contract, with every shell that it has."""

from __future__ import annotations

import pytest

from envs.tiny import TinyDataset
from intercode.envs.bash import BashEnv
from intercode.sandboxes.base import Sandbox
from intercode.testing.env import EnvContract, MakeEnv


class TestExact(EnvContract):
    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: BashEnv(TinyDataset(), **{"sandbox": sandbox, **options})


class TestPaper(EnvContract):
    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: BashEnv(TinyDataset("paper"), **{"sandbox": sandbox, **options})


class TestPersistent(EnvContract):
    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: BashEnv(TinyDataset(), **{"sandbox": sandbox, "shell": "persistent", **options})
