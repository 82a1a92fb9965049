"""The world of capture the flag keeps the contract, under both scorings and with challenges made from seeds."""

from __future__ import annotations

import pytest

from intercode.env.env import Env
from intercode.errors import MachineError
from intercode.testing.env import MakeEnv
from intercode.testing.flag_env import FlagEnvContract
from intercode.worlds.ctf import CtfEnv
from intercode_sandbox.sandbox import Limits, Sandbox
from intercode_sandbox.scripted import ScriptedSandbox
from worlds.ctf.tiny_ctf import TinyCtfDataset

SIMPLE = {name: challenge for name, challenge in TinyCtfDataset()._challenges.items() if not challenge.service}
"""Without the service: scripted sandboxes have no network."""


class TestExact(FlagEnvContract):
    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: CtfEnv(TinyCtfDataset(), **{"sandbox": sandbox, **options})

    def failing(self, make: MakeEnv, failure: MachineError) -> Env:
        plain = TinyCtfDataset(challenges={"file": SIMPLE["file"]})
        return CtfEnv(plain, sandbox=ScriptedSandbox(fails={0: failure}), limits=Limits(seconds=0.5))


class TestPaper(TestExact):
    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: CtfEnv(TinyCtfDataset("paper"), **{"sandbox": sandbox, **options})


class TestPersistent(TestExact):
    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        options = {"sandbox": sandbox, "shell": "persistent"}
        return lambda **more: CtfEnv(TinyCtfDataset(), **{**options, **more})
