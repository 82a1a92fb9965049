"""The Python world keeps the contract, under both scorings."""

from __future__ import annotations

import pytest

from intercode.env.env import Env
from intercode.errors import MachineError
from intercode.testing.env import EnvContract, MakeEnv
from intercode.worlds.python import PythonEnv
from intercode_sandbox.sandbox import Sandbox
from worlds.python.python_world import FewTasks, FrailSandbox


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
