"""What tests of tasks do with a network: install packages from the registries of the world, as far as they are reached.

Everything but the registries themselves is tried with a server of this machine's, in the other files.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from network_servers import fetch, why_no_registry

from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import find
from intercode_sandbox.sandbox import Limits, Session
from intercode_sandbox.testing.patience import patience

PYPI = ("pypi.org", "files.pythonhosted.org")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[EmbeddedSandbox]:
    if reason := why_no_registry():
        pytest.skip(reason)
    with EmbeddedSandbox(ahead=0) as sandbox:
        yield sandbox


@pytest.fixture
def session(sandbox: EmbeddedSandbox) -> Iterator[Session]:
    limits = Limits(seconds=patience(120), network=PYPI)
    with sandbox.start(find("host"), limits=limits) as session:
        yield session


def test_pip_fetches_a_package_from_the_hosts_that_are_allowed(session: Session) -> None:
    """With the machine's own authorities, if it has some, and a count of what was sent and received."""
    made = session.run(["python3", "-m", "venv", "/dev/shm/v"])  # a bare machine's own Python has no pip
    assert made.exit_code == 0, made.text
    download = ["/dev/shm/v/bin/python", "-m", "pip", "download", "--no-deps", "--no-cache-dir", "six==1.17.0"]
    done = session.run(download, cwd="/tmp")
    assert done.exit_code == 0, done.text
    assert [change.path for change in session.changes()] == ["/tmp/six-1.17.0-py2.py3-none-any.whl"]
    usage = session.network_usage()
    assert usage is not None
    assert usage.requests >= 1
    assert usage.received > 11_000
    assert 0 < usage.sent < 50_000


def test_a_host_that_is_not_listed_is_refused_though_it_is_public(session: Session) -> None:
    assert "403" in fetch(session, "https://registry.npmjs.org/six")
    assert "deb.debian.org:80 is not among the hosts" in fetch(session, "http://deb.debian.org/debian/dists/")
