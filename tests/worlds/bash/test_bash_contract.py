"""The Bash world keeps the contract, with every shell that it has."""

from __future__ import annotations

import pytest

from env.tiny import TinyDataset
from intercode.testing.env import EnvContract, MakeEnv
from intercode.worlds.bash import BashEnv
from intercode_sandbox.sandbox import Sandbox


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
