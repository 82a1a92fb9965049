"""The part of the sandbox contract about commands: what goes in, what comes out, when it ends."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import ClassVar

import pytest

from intercode_sandbox.errors import SandboxError, UserError
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox, Session
from intercode_sandbox.testing.fixtures import alive, appears, disappears, mark, need, sh
from intercode_sandbox.testing.patience import patience

ODD_ARGUMENTS = ["", " ", "a b", "*", "$HOME", "'", '"', "\\", "two\nlines", "-n", "é漢", "\udcff"]


class CommandTests:
    """See `SandboxContract`."""

    no_folder: ClassVar[str] = ""
    """Why a result does not tell in which folder its command ended; "" where it does."""

    no_jobs: ClassVar[str] = ""
    """Why a time-out ends all commands of its session; empty where it ends one."""

    # What it says

    def test_it_tells_output_and_exit_code(self, session: Session) -> None:
        """The least of all: what was printed, and how it ended."""
        result = sh(session, "echo hi; exit 3")
        assert (result.output, result.exit_code, result.timed_out, result.truncated) == (b"hi\n", 3, False, False)
        assert result.output_bytes == 3
        assert 0 <= result.seconds < patience(60)

    def test_output_and_errors_come_merged_in_order(self, session: Session) -> None:
        assert sh(session, "echo 1; echo 2 >&2; echo 3").output == b"1\n2\n3\n"

    def test_errors_come_apart_when_asked_for(self, session: Session) -> None:
        result = sh(session, "echo 1; echo 2 >&2; echo 3", separate=True)
        assert (result.output, result.errors) == (b"1\n3\n", b"2\n")

    def test_a_signal_is_128_and_its_number(self, session: Session) -> None:
        assert sh(session, "kill -9 $$").exit_code == 137
        assert sh(session, "kill -TERM $$").exit_code == 143

    def test_a_program_that_is_not_there_is_127(self, session: Session) -> None:
        """As in a shell, with a message that names it."""
        for program in ("no-such-program", "/no/such/program"):
            result = session.run([program])
            assert result.exit_code == 127
            assert program in result.text

    def test_what_is_no_program_is_126(self, session: Session) -> None:
        for path in ("./plain.txt", "./folder"):
            result = session.run([path], cwd="/data")
            assert result.exit_code == 126
            assert path in result.text

    def test_a_working_directory_that_is_not_there_is_126(self, session: Session) -> None:
        for cwd in ("/no/such/folder", "/data/plain.txt"):
            result = session.run(["/bin/true"], cwd=cwd)
            assert result.exit_code == 126
            assert cwd in result.text

    def test_bytes_of_any_kind_come_out_unchanged(self, session: Session) -> None:
        """Output is bytes; only `text` is read as UTF-8."""
        session.write("/data/bytes", bytes(range(256)))
        result = sh(session, "cat bytes; cat bytes >&2", separate=True)
        assert result.output == result.errors == bytes(range(256))
        assert "\ufffd" in result.text

    def test_more_output_than_allowed_is_cut_and_counted(self, sandbox: Sandbox, world: Image) -> None:
        with sandbox.start(world, limits=Limits(output=1000)) as session:
            result = sh(session, "yes | head -c 123456; exit 5")
            assert (len(result.output), result.truncated) == (1000, True)
            assert (result.output_bytes, result.exit_code) == (123456, 5)

    def test_as_much_output_as_allowed_is_not_cut(self, sandbox: Sandbox, world: Image) -> None:
        with sandbox.start(world, limits=Limits(output=1000)) as session:
            result = sh(session, "yes | head -c 1000")
            assert (len(result.output), result.truncated, result.output_bytes) == (1000, False, 1000)

    # What it is given

    def test_arguments_arrive_as_they_are(self, session: Session) -> None:
        """No shell in between reads them."""
        result = session.run(["/usr/bin/printf", "%s\\0", *ODD_ARGUMENTS])
        assert result.output.decode("utf-8", "surrogateescape").split("\0")[:-1] == ODD_ARGUMENTS

    def test_the_environment_is_what_was_given(self, session: Session) -> None:
        result = session.run(["/usr/bin/env"], env={"A": "1", "B": "two words"})
        assert sorted(result.text.splitlines()) == ["A=1", "B=two words"]

    def test_the_environment_is_the_images_where_none_was_given(
        self, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And nothing of the host's."""
        monkeypatch.setenv("INTERCODE_CONTRACT", "secret")
        found = dict(line.split("=", 1) for line in session.run(["/usr/bin/env"]).text.splitlines())
        assert found == dict(session.image.env)

    def test_it_starts_where_it_was_told_to(self, session: Session) -> None:
        assert session.run(["/bin/cat", "side.txt"], cwd="/data/folder").output == b"side\n"

    def test_a_result_tells_where_the_command_ended(self, session: Session) -> None:
        """Without links, and whatever descriptors the command has used."""
        need(self.no_folder)
        command = "exec 200>/tmp/lock 9>&200; cd folder; echo ended"
        result = session.run(["/bin/bash", "-c", command], cwd="/data")
        assert (result.output, result.cwd) == (b"ended\n", "/data/folder")
        assert session.run(["/bin/bash", "-c", "exit 3"], cwd="/data").cwd == "/data"
        assert session.run(["/bin/cat", "data/plain.txt"]).output == b"plain\n"

    def test_standard_input_arrives_whole_and_ends(self, session: Session) -> None:
        data = bytes(range(256)) * 4096
        assert session.run(["/usr/bin/wc", "-c"], stdin=data).text.split() == [str(len(data))]
        assert session.run(["/bin/cat"], stdin=b"\x00\xff").output == b"\x00\xff"

    def test_standard_input_is_empty_where_none_was_given(self, session: Session) -> None:
        assert session.run(["/bin/cat"]).output == b""

    def test_standard_input_that_nobody_reads_does_no_harm(self, session: Session) -> None:
        result = session.run(["/bin/true"], stdin=b"x" * (4 << 20))
        assert (result.exit_code, result.timed_out) == (0, False)

    def test_its_standard_streams_can_be_opened_by_name(self, session: Session) -> None:
        """`> /dev/stderr` opens the stream anew: whoever owns it must let the command in."""
        result = sh(session, "echo 1 >/dev/stdout; echo 2 >/dev/stderr; cat /dev/stdin", stdin=b"3\n")
        assert result.output == b"1\n2\n3\n"

    def test_a_nul_byte_is_the_callers_mistake(self, session: Session) -> None:
        """It cannot travel: wherever it stands, it is refused before anything runs."""
        for argv, cwd, env in ((["a\0b"], "/", {}), (["/bin/true"], "/\0", {}), (["/bin/true"], "/", {"A": "\0"})):
            with pytest.raises(UserError):
                session.run(argv, cwd=cwd, env=env)

    def test_no_program_at_all_is_the_callers_mistake(self, session: Session) -> None:
        with pytest.raises(UserError):
            session.run([])

    def test_arguments_over_8_mib_are_the_callers_mistake(self, session: Session) -> None:
        with pytest.raises(UserError):
            session.run(["/bin/echo", *["x" * (100 << 10)] * 82])

    def test_arguments_arrive_up_to_the_kernels_limit(self, session: Session) -> None:
        """One of 128 KiB with its end, and about 1.5 MiB of them together."""
        assert session.run(["/bin/echo", "x" * ((128 << 10) - 1)]).output_bytes == 128 << 10
        result = session.run(["/usr/bin/printf", "%s", *["x" * (64 << 10)] * 24], env={"A": "y" * (32 << 10)})
        assert (result.exit_code, result.output_bytes) == (0, 24 * (64 << 10))

    def test_arguments_over_the_kernels_limit_are_126(self, session: Session) -> None:
        """As in a shell."""
        for argv in (["/bin/echo", "x" * (128 << 10)], ["/bin/echo", *["x" * (100 << 10)] * 70]):
            result = session.run(argv)
            assert result.exit_code == 126
            assert "too long" in result.text
        assert sh(session, "echo fine").output == b"fine\n"

    # What it prints, while it runs

    def test_output_is_handed_on_as_it_comes(self, session: Session) -> None:
        """The command goes on only because its first line has been seen."""
        seen: list[bytes] = []

        def listen(chunk: bytes) -> None:
            seen.append(chunk)
            if b"".join(seen) == b"first\n":
                session.write("/data/seen", b"")

        script = "echo first; until [ -e seen ]; do sleep 0.02; done; echo second; echo wrong >&2"
        result = sh(session, script, on_output=listen)
        assert b"".join(seen) == result.output == b"first\nsecond\nwrong\n"

    def test_what_is_kept_apart_or_beyond_the_limit_is_handed_on_as_the_output_is(
        self, sandbox: Sandbox, world: Image
    ) -> None:
        """Errors that are kept apart are not; all of the output is, though only a part is kept."""
        with sandbox.start(world, limits=Limits(output=10)) as session:
            seen: list[bytes] = []
            result = sh(session, "echo wrong >&2; printf %0100d 7", separate=True, on_output=seen.append)
            assert (len(b"".join(seen)), result.output, result.errors) == (100, b"0" * 10, b"wrong\n")

    def test_who_listens_and_fails_ends_the_command(self, session: Session) -> None:
        """The error is the caller's, whatever its kind, and the session goes on."""
        for error in (BrokenPipeError("ours"), ValueError("ours")):
            sleeping = mark()

            def fail(chunk: bytes, error: Exception = error) -> None:
                raise error

            with pytest.raises(type(error), match="ours"):
                sh(session, f"echo on; sleep {sleeping}", on_output=fail)
            assert disappears(sleeping)
        assert sh(session, "echo fine").text == "fine\n"

    def test_what_it_used_is_told(self, session: Session) -> None:
        """Time of processors and memory, of its children too, by the kernel's count; or nothing is said."""
        script = "i=0; while ((i < 200000)); do ((i += 1)); done; head -c 60000000 /dev/zero | tail -c 50000000 | wc -c"
        result = sh(session, script)
        if result.cpu_seconds is None or result.peak_memory is None:
            assert (result.cpu_seconds, result.peak_memory) == (None, None)
            return
        idle = sh(session, "sleep 0.3")
        assert idle.cpu_seconds is not None
        assert idle.peak_memory is not None
        assert 0 < idle.cpu_seconds < 0.25 < patience(30)
        assert result.cpu_seconds > idle.cpu_seconds
        assert result.peak_memory > 50_000_000 > idle.peak_memory > 500_000

    # When it ends

    def test_at_time_out_it_is_killed_and_what_it_printed_is_kept(self, session: Session) -> None:
        started = time.monotonic()
        result = sh(session, "echo before; sleep 60; echo after", timeout=patience(3))
        assert (result.output, result.timed_out) == (b"before\n", True)
        assert time.monotonic() - started < patience(30)

    def test_timeout_kills_the_children_too(self, session: Session) -> None:
        """Also those that have left for a session of their own, or were orphaned."""
        ways = ("{} & wait", "setsid {} & sleep 60", "(setsid {} &) ; sleep 60", "trap '' TERM HUP; {}")
        for way in ways:
            sleeping = mark()
            result = sh(session, way.format(f"sleep {sleeping}"), timeout=0.5)
            assert result.timed_out
            assert disappears(sleeping), f"{way} outlived its time"

    def test_the_sessions_limit_holds_where_no_time_is_given(self, sandbox: Sandbox, world: Image) -> None:
        with sandbox.start(world, limits=Limits(seconds=0.5)) as session:
            started = time.monotonic()
            assert session.run(["/bin/sleep", "60"]).timed_out
            assert time.monotonic() - started < patience(25)

    def test_output_without_end_does_not_keep_it_alive(self, session: Session) -> None:
        result = sh(session, "yes", timeout=patience(3))  # in which even a busy machine has started it
        assert (result.timed_out, result.truncated) == (True, True)
        assert len(result.output) == session.limits.output < result.output_bytes

    def test_it_goes_on_working_after_a_time_out(self, session: Session) -> None:
        sh(session, "sleep 60", timeout=0.2)
        assert sh(session, "echo still here").output == b"still here\n"

    def test_a_child_in_the_background_is_not_waited_for(self, session: Session) -> None:
        """Though it holds the output open; what it says later belongs to nobody."""
        sleeping, started = mark(), time.monotonic()
        result = sh(session, f"sleep {sleeping} & echo hi")
        assert (result.output, result.exit_code, result.timed_out) == (b"hi\n", 0, False)
        assert time.monotonic() - started < patience(30)
        assert alive(sleeping)

    def test_threads_may_share_a_session(self, session: Session) -> None:
        """Each gets its own answer."""
        with ThreadPoolExecutor(4) as pool:
            texts = list(pool.map(lambda number: sh(session, f"sleep 0.1; echo {number}").text, range(8)))
        assert texts == [f"{number}\n" for number in range(8)]

    def test_several_commands_run_at_once_in_a_session(self, session: Session) -> None:
        """Each of them ends only because the others run."""
        sh(session, "mkfifo to back")
        scripts = ["echo 1 > to; cat back", "cat to; echo 2 > back", "until [ -e done ]; do sleep 0.01; done; echo 3"]
        with ThreadPoolExecutor(3) as pool:
            results = [pool.submit(sh, session, script, timeout=patience(10)) for script in scripts]
            assert [result.result().text for result in results[:2]] == ["2\n", "1\n"]
            sh(session, "touch done")
            assert results[2].result().text == "3\n"

    def test_a_time_out_kills_nothing_of_other_commands(self, session: Session) -> None:
        """Neither older nor younger ones, nor what those have started."""
        need(self.no_jobs)
        others, gone = [mark(), mark()], mark()
        script = "sleep {} & setsid sleep {} & until [ -e done ]; do sleep 0.01; done; echo whole"
        with ThreadPoolExecutor(3) as pool:
            older = pool.submit(sh, session, script.format(others[0], others[0]), timeout=patience(60))
            assert appears(others[0])
            killed = pool.submit(sh, session, f"setsid sleep {gone} & sleep {gone}", timeout=patience(4))
            assert appears(gone)
            younger = pool.submit(sh, session, script.format(others[1], others[1]), timeout=patience(60))
            assert appears(others[1])
            assert killed.result().timed_out
            assert disappears(gone)
            assert all(alive(each) for each in others)
            sh(session, "touch done")
            assert [older.result().text, younger.result().text] == ["whole\n", "whole\n"]

    def test_close_ends_commands_of_other_threads(self, sandbox: Sandbox, world: Image) -> None:
        """They end as killed, or say that the session is gone; none is left waiting."""
        session, sleeping = sandbox.start(world), [mark(), mark()]
        with ThreadPoolExecutor(2) as pool:
            running = [pool.submit(sh, session, f"sleep {each}", timeout=patience(60)) for each in sleeping]
            assert all(appears(each) for each in sleeping)
            started = time.monotonic()
            session.close()
            for command in running:
                with suppress(SandboxError):
                    assert command.result().exit_code != 0
        assert time.monotonic() - started < patience(30)
        assert all(disappears(each) for each in sleeping)

    def test_sessions_run_side_by_side(self, sandbox: Sandbox, world: Image) -> None:
        """In a thread each; none waits for another."""
        with ExitStack() as stack, ThreadPoolExecutor(4) as pool:
            sessions = list(pool.map(lambda _: stack.enter_context(sandbox.start(world)), range(4)))
            script = "date +%s%N; sleep 3; date +%s%N"
            times = [text.split() for text in pool.map(lambda session: sh(session, script).text, sessions)]
            assert max(int(begun) for begun, _ in times) < min(int(ended) for _, ended in times)
