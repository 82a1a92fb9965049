"""What process 1 says that is in the upper layer: the same as the host reads there, and checked as hostile input."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

import pytest
from file_commands import PLACES as FILES
from file_commands import command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.embedded.scratch import upper
from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.runner.lower_layers import LowerLayers, _HelpRecorder
from intercode_sandbox.runner.upper_listing import BadListingError, UpperListing
from intercode_sandbox.sandbox import Change
from intercode_sandbox.testing.fixtures import contract_image, sh

WORLD = contract_image(images.find("host"))
PLACES = st.one_of(FILES, st.just("many"))

pytestmark = pytest.mark.skipif(upper() != "tmpfs", reason="only what is in memory, with user attributes, is listed")


def is_listed(session: EmbeddedSession) -> bool:
    return session.listing is not None


COMMANDS = st.one_of(
    command("echo new > {}", PLACES),
    command("echo more >> {}", PLACES),
    command("rm -rf {}", PLACES),
    command("mkdir -p {}", PLACES),
    command("rm -rf {0}; mkdir -p {0}; echo inside > {0}/x", PLACES),
    command("mv -T {} {}", PLACES, PLACES),
    command("cp -a {0} {1}", PLACES, PLACES),
    command("ln -sfn {} {}", PLACES, PLACES),
    command("ln -f {} {}", PLACES, PLACES),
    command("chmod {} {}", st.sampled_from(["000", "600", "755", "1777", "2755", "4711"]), PLACES),
    command("chown {} {}", st.sampled_from(["1", "1:2", "nobody", "65534:3"]), PLACES),
    command("touch -d @{} {}", st.sampled_from(["-1", "1234567890.123456789"]), PLACES),
    command("rm -f {0}; mkfifo {0}", PLACES),
    command("truncate -s {} {}", st.sampled_from(["9000", "20000", "300000"]), PLACES),
    command("setfattr -n user.overlay.opaque -v y {}", PLACES),
    command("cp -a {0} saved && rm -rf {0} && mv -T saved {0}", PLACES),
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[EmbeddedSandbox]:
    with EmbeddedSandbox() as sandbox:
        yield sandbox


@pytest.fixture
def session(sandbox: EmbeddedSandbox) -> Iterator[EmbeddedSession]:
    with sandbox.start(WORLD) as session:
        assert isinstance(session, EmbeddedSession)
        yield session


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(COMMANDS, min_size=1, max_size=8))
def test_what_is_listed_is_what_the_host_reads(sandbox: EmbeddedSandbox, commands: list[str]) -> None:
    with sandbox.start(WORLD) as session:
        assert isinstance(session, EmbeddedSession)
        sh(session, "\n".join(commands))
        assert session.changes() == session.read_changes(), (commands, session.listing)
        if session.listing is not None:
            assert read(session, session.listing) == session.read_changes(), (commands, session.listing)


@pytest.mark.parametrize(
    "script",
    [
        "true",
        "printf 'a\\0b' > plain.txt; mkdir new; ln -s nowhere new/link; mkfifo new/pipe; touch new/empty",
        "rm -r folder; mkdir folder; echo x > folder/other; rm plain.txt; rm -r many; echo file > many",
        "touch -d '2020-01-01' new.txt; rm -r folder",
        "touch $'\\xff\\n' 'ä b'; ln -s $'to\\xfe' odd; chown 7:8 plain.txt; chmod 4750 run.sh",
    ],
)
def test_little_is_listed(session: EmbeddedSession, script: str) -> None:
    sh(session, script)
    assert session.listing is not None
    assert read(session, session.listing) == session.changes() == session.read_changes()


@pytest.mark.parametrize(
    "script",
    [
        "head -c 20000 /dev/zero > big",
        "touch $(seq 1000)",
        "chown 65534 plain.txt",
        "sleep 100 >/dev/null 2>&1 &",
    ],
)
def test_what_is_much_or_cannot_be_told_is_not_listed(session: EmbeddedSession, script: str) -> None:
    sh(session, script)
    assert session.listing is None
    assert session.changes() == session.read_changes()


def test_files_with_the_time_of_the_start_have_that_of_each_session(sandbox: EmbeddedSandbox) -> None:
    for started_at in (1_500_000_000.0, 1_600_000_000.0):
        with sandbox.start(WORLD, started_at=started_at) as session:
            assert isinstance(session, EmbeddedSession)
            sh(session, "echo x >> new.txt; rm -r folder")
            assert session.listing is not None
            changes = {change.path: change for change in session.changes()}
            before = changes["/data/new.txt"].before
            assert before is not None
            assert before.mtime_ns == started_at * 1e9
            assert list(changes.values()) == session.read_changes()


def test_what_is_too_deep_is_read_by_the_host(session: EmbeddedSession) -> None:
    sh(session, "for i in $(seq 130); do mkdir d; cd d; done")
    assert session.listing is not None
    changes = session.changes()
    assert changes == session.read_changes()
    assert any(change.after and change.after.digest == "cut" for change in changes)


def test_what_the_host_has_written_since_is_seen(session: EmbeddedSession) -> None:
    sh(session, "echo x > plain.txt")
    session.write("/later.txt", b"later")
    assert not is_listed(session)
    assert "/later.txt" in [change.path for change in session.changes()]
    sh(session, "true")
    assert is_listed(session)
    assert "/later.txt" in [change.path for change in session.changes()]


def test_what_the_session_helped_to_read_of_an_image_is_not_remembered(session: EmbeddedSession) -> None:
    walker, paths = session._walker(), ["/data/plain.txt", "/data/nothing"]
    for path in paths:
        alone, helped = _HelpRecorder(walker), _HelpRecorder(walker)
        os.close(helped.walker.open_anyway(0, "/.", os.O_PATH))
        found = LowerLayers(session._base.lowers).entry(path, walker)
        assert (found is not None) == (path == paths[0])
        assert alone.saw(found)
        assert not helped.saw(found)


def test_an_image_is_read_once_for_all_its_sessions(sandbox: EmbeddedSandbox, session: EmbeddedSession) -> None:
    lower = LowerLayers(session._base.lowers)
    first = lower.entry("/data/plain.txt", session._walker())
    gone = lower.deletions("/data/folder", session._walker())
    assert len(gone) == 4
    with sandbox.start(WORLD) as other:
        assert isinstance(other, EmbeddedSession)
        assert lower.entry("/data/plain.txt", other._walker()) is first
        assert list(lower.deletions("/data/folder", other._walker())) == list(gone)


def item(name: bytes, mode: int = 0o100644, *, uid: int = 0, depth: int = 0, size: int = 0, hides: int = 0) -> bytes:
    return struct.pack("=IIIHHqQI", mode, uid, 0, depth, len(name), 0, size, hides) + name


def read(session: EmbeddedSession, listing: bytes) -> list[Change]:
    return UpperListing(listing, session._base.remembered, session._walker()).changes()


@pytest.mark.parametrize(
    "listing",
    [
        b"x",
        item(b"cut")[:-1],
        item(b""),
        item(b"."),
        item(b".."),
        item(b"a/b"),
        item(b"a\0"),
        item(b"n" * 256),
        item(b"nowhere", depth=1),
        item(b"file") + item(b"inside", depth=1),
        item(b"content", size=1),
        item(b"much", size=1 << 63) + b"x",
        item(b"link", 0o120777, size=9),
        item(b"mode", 1 << 16),
        item(b"owner", uid=1 << 16),
        item(b"mark", 0o40755, hides=2),
        b"".join(item(b"d", 0o40755, depth=depth) for depth in range(128)),
    ],
)
def test_what_has_not_the_form_of_a_listing_is_none(session: EmbeddedSession, listing: bytes) -> None:
    with pytest.raises(BadListingError):
        read(session, listing)
    session._channel._listing = listing
    assert session.changes() == session.read_changes() == []


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_comes_is_read_or_refused(session: EmbeddedSession, data: st.DataObject) -> None:
    good = item(b"folder", 0o40755) + item(b"side.txt", depth=1, size=3) + b"abc" + item(b"plain.txt", 0o20000)
    assert [change.path for change in read(session, good)] != []
    at = data.draw(st.integers(0, len(good) - 1))
    listing = good[:at] + data.draw(st.binary(max_size=40)) + good[at + data.draw(st.integers(0, 40)) :]
    try:
        changes = read(session, listing)
    except BadListingError:
        return
    assert all(isinstance(change, Change) and change.path.startswith("/") for change in changes)
