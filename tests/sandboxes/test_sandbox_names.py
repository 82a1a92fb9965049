"""Messages call a sandbox what users type, never by its class."""

from __future__ import annotations

import pytest

from intercode.errors import UserError
from intercode.sandboxes.base import Limits
from intercode.sandboxes.core.naming import sandbox_name
from intercode.sandboxes.embedded import EmbeddedSandbox
from intercode.sandboxes.local import LocalSandbox


def test_a_message_names_the_sandbox_as_users_type_it() -> None:
    with EmbeddedSandbox() as sandbox, pytest.raises(UserError, match="and the embedded sandbox gives none"):
        sandbox.check(Limits(network=True))


def test_each_is_called_by_its_own_name() -> None:
    with LocalSandbox(i_know_this_is_unsafe=True) as sandbox:
        assert sandbox_name(sandbox) == "the local sandbox"
