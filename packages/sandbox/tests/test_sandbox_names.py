"""Messages call a sandbox what users type, never by its class."""

from __future__ import annotations

import pytest

from intercode_sandbox.docker.by_exec import DockerExecSandbox
from intercode_sandbox.errors import UserError
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.sandbox import Limits
from intercode_sandbox.util.naming import sandbox_name


def test_a_message_names_the_sandbox_as_users_type_it() -> None:
    with DockerExecSandbox() as sandbox, pytest.raises(UserError, match="and the docker sandbox gives none"):
        sandbox.check(Limits(network="allow"))


def test_each_is_called_by_its_own_name() -> None:
    with LocalSandbox(i_know_this_is_unsafe=True) as sandbox:
        assert sandbox_name(sandbox) == "the local sandbox"
