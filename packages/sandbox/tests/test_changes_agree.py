"""Two readers of what has changed, made independently, agree on whatever a script does.

One compares an overlay's upper layer with what lies below (embedded), the other two readings of a folder (local).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from file_commands import PLACES, command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.sandbox import Entry, Sandbox, Session
from intercode_sandbox.testing.fixtures import contract_image, sh

WORLD = contract_image(images.find("host"))
MODES = st.sampled_from(["600", "644", "755", "1777"])
"""Not set-user-id: root of a user namespace loses that bit by writing to the file, the machine's own root does not."""


# A folder copied into itself ends as the order of its names has it.
# No `ln`: overlayfs, as in Docker, gives up a hard link to an image's file when one of its names is first written.
COMMANDS = st.one_of(
    command("echo new > {}", PLACES),
    command("echo more >> {}", PLACES),
    command("rm -rf {}", PLACES),
    command("mkdir -p {}", PLACES),
    command("mv -T {} {}", PLACES, PLACES),
    command("[ -d {0} ] || cp -a {0} {1}", PLACES, PLACES),
    command("ln -sfn {} {}", PLACES, PLACES),
    command("chmod {} {}", MODES, PLACES),
    command("touch -d @1234567890 {}", PLACES),
    command("rm -f {0}; mkfifo {0}", PLACES),
    command("cp -a {0} saved && rm -rf {0} && mv -T saved {0}", PLACES),
    command("find {} -type f -exec rm {{}} +", PLACES),
)


@pytest.fixture(scope="module")
def embedded() -> Iterator[Sandbox]:
    with EmbeddedSandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def local() -> Iterator[Sandbox]:
    with LocalSandbox(i_know_this_is_unsafe=True) as sandbox:
        yield sandbox


@pytest.mark.skipif(os.geteuid() != 0, reason="the local sandbox's files have the same modes and owners only for root")
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(COMMANDS, min_size=1, max_size=8))
def test_both_see_the_same_changes(embedded: Sandbox, local: Sandbox, commands: list[str]) -> None:
    script = "\n".join(["umask 022", *commands])
    assert _after(script, embedded) == _after(script, local), script


@pytest.mark.skipif(os.geteuid() != 0, reason="the local sandbox's files have the same modes and owners only for root")
def test_both_see_a_set_user_id_bit(embedded: Sandbox, local: Sandbox) -> None:
    script = "chmod 4711 plain.txt; chmod 2755 folder"
    assert len(_after(script, embedded)) == 2
    assert _after(script, embedded) == _after(script, local)


def _after(script: str, sandbox: Sandbox) -> dict[str, tuple[object, object]]:
    with sandbox.start(WORLD, started_at=1_600_000_000.0) as session:
        sh(session, script)
        return _seen(session)


def _seen(session: Session) -> dict[str, tuple[object, object]]:
    """What can be the same in both: all but owners, times that came about, and how each digests."""
    changes = session.changes()
    return {change.path: (_kind(change.before), _kind(change.after)) for change in changes}


def _kind(entry: Entry | None) -> object:
    if entry is None:
        return None
    return (entry.type, entry.mode, entry.size if entry.type == "file" else 0)
