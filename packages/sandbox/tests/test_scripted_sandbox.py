"""The scripted sandbox answers from its table, and fails when it is told to."""

from __future__ import annotations

import pytest

from intercode_sandbox.errors import SandboxError, SandboxGoneError, UserError
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Change, Entry, Limits
from intercode_sandbox.scripted import ScriptedAnswer, ScriptedSandbox

IMAGE = Image("scripted", ())
FILE = Entry("file", 0o644, 0, 0, 1, 0, "digest")
MADE = Change("/made", None, FILE)


def bash(command: str) -> list[str]:
    return ["/bin/bash", "-c", command]


def test_a_command_is_known_by_its_last_argument() -> None:
    session = ScriptedSandbox({"ls": "a\nb\n"}).start(IMAGE)
    assert session.run(bash("ls")).text == "a\nb\n"
    assert session.run(["ls"]).exit_code == 0


def test_a_command_is_known_by_the_last_line_of_that() -> None:
    """A shell may put lines of its own before it."""
    assert ScriptedSandbox({"ls": "a\n"}).start(IMAGE).run(bash("set -e\nls")).text == "a\n"


def test_an_unknown_command_is_127() -> None:
    result = ScriptedSandbox().start(IMAGE).run(bash("ls -l"))
    assert (result.exit_code, result.text) == (127, "ls: not in the script\n")


def test_answers_are_results_in_full() -> None:
    script = {
        "bad": ScriptedAnswer("out", 3, errors="err"),
        "slow": ScriptedAnswer(timed_out=True),
        "long": ScriptedAnswer("x" * 100),
    }
    session = ScriptedSandbox(script).start(IMAGE, limits=Limits(output=10))
    bad = session.run(bash("bad"), separate=True)
    assert (bad.output, bad.errors, bad.exit_code) == (b"out", b"err", 3)
    assert session.run(bash("bad")).output == b"outerr"
    assert session.run(bash("slow")).timed_out
    long = session.run(bash("long"))
    assert (len(long.output), long.truncated, long.output_bytes) == (10, True, 100)


def test_changes_come_about_and_can_be_undone() -> None:
    script = {"make": ScriptedAnswer(changes=(MADE,)), "unmake": ScriptedAnswer(changes=(Change("/made", None, None),))}
    session = ScriptedSandbox(script).start(IMAGE)
    session.run(bash("make"))
    assert session.changes() == [MADE]
    session.run(bash("unmake"))
    assert session.changes() == []


def test_sessions_and_branches_have_changes_of_their_own() -> None:
    sandbox = ScriptedSandbox({"make": ScriptedAnswer(changes=(MADE,))})
    session = sandbox.start(IMAGE)
    with session.snapshot() as before:
        session.run(bash("make"))
        assert sandbox.start(IMAGE, snapshot=before).changes() == []
        assert sandbox.start(IMAGE, snapshot=session.snapshot()).changes() == [MADE]


def test_what_was_written_is_read_and_is_a_change() -> None:
    session = ScriptedSandbox().start(IMAGE)
    session.write("/a", b"data")
    assert session.read("/a", limit=2) == b"da"
    assert [change.path for change in session.changes()] == ["/a"]
    with pytest.raises(FileNotFoundError):
        session.read("/b")


def test_everything_that_ran_is_recorded() -> None:
    sandbox = ScriptedSandbox({"a": "", "b": ""})
    sandbox.start(IMAGE).run(bash("a"))
    sandbox.start(IMAGE).run(["b"])
    assert sandbox.ran == [("/bin/bash", "-c", "a"), ("b",)]


def test_it_fails_at_the_command_it_was_told_to() -> None:
    """A passing failure passes; a session that is gone stays gone, and others live."""
    sandbox = ScriptedSandbox({"a": "fine"}, fails={1: SandboxError("hiccup"), 2: SandboxGoneError("dead")})
    session, other = sandbox.start(IMAGE), sandbox.start(IMAGE)
    assert session.run(["a"]).text == "fine"
    with pytest.raises(SandboxError, match="hiccup"):
        session.run(["a"])
    for _ in range(2):
        with pytest.raises(SandboxGoneError):
            session.run(["a"])
    assert other.run(["a"]).text == "fine"


def test_it_refuses_what_every_sandbox_refuses() -> None:
    session = ScriptedSandbox().start(IMAGE)
    for argv in ([], ["a\0b"], ["x" * (9 << 20)]):
        with pytest.raises(UserError):
            session.run(argv)


def test_nothing_runs_after_close() -> None:
    sandbox = ScriptedSandbox({"a": ""})
    session = sandbox.start(IMAGE)
    sandbox.close()
    with pytest.raises(SandboxGoneError):
        session.run(["a"])


def test_a_process_answers_what_is_sent_to_it() -> None:
    process = ScriptedSandbox({"ls": "a\n"}).start(IMAGE).open(["/bin/bash"])
    process.send(b"ls\n")
    assert process.receive(1) == b"a\n"
    assert process.receive(0) == b""
    process.signal(2)
    assert process.exit_code == 130
    with pytest.raises(BrokenPipeError):
        process.send(b"ls\n")
    process.close()
