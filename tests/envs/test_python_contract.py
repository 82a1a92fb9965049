"""The Python world keeps the contract, under both scorings."""

from __future__ import annotations

import pytest

from envs.python_world import FewTasks, FrailSandbox
from intercode.envs.base import Env
from intercode.envs.python import PythonEnv
from intercode.errors import MachineError
from intercode.sandboxes.base import Sandbox
from intercode.testing.env import EnvContract, MakeEnv


class PythonContract(EnvContract):
    """What the world says of itself."""

    changing = "made = 1"
    harmless = "1 + 1"
    background = "import subprocess; subprocess.Popen(['sleep', '{}']) and None"

    def failing(self, make: MakeEnv, failure: MachineError) -> Env:
        whole = make()
        return make(sandbox=FrailSandbox(whole.sandbox, failure))


class TestExact(PythonContract):
    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: PythonEnv(FewTasks(), **{"sandbox": sandbox, **options})


class TestPaper(PythonContract):
    """Where an expression is printed in any case, and an import must stand on a line of its own."""

    background = "import subprocess\nsleeper = subprocess.Popen(['sleep', '{}'])"

    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: PythonEnv(FewTasks("paper"), **{"sandbox": sandbox, **options})
