"""Sessions whose commands are broken on purpose, each with the test of the contract that must notice."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from intercode_sandbox.errors import UserError
from intercode_sandbox.host.process import HostProcess
from intercode_sandbox.local.sandbox import LocalSession
from intercode_sandbox.sandbox import Result


class Altered(LocalSession):
    """Alters the result of every command."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return self.altered(super().run(argv, **options))

    def altered(self, result: Result) -> Result:
        raise NotImplementedError


class Cheerful(Altered):
    def altered(self, result: Result) -> Result:
        return replace(result, exit_code=0)


class Negative(Altered):
    def altered(self, result: Result) -> Result:
        return replace(result, exit_code=128 - result.exit_code if result.exit_code > 128 else result.exit_code)


class Textual(Altered):
    def altered(self, result: Result) -> Result:
        return replace(result, output=result.text.encode(), output_bytes=len(result.text.encode()))


class Miscounting(Altered):
    def altered(self, result: Result) -> Result:
        return replace(result, output_bytes=len(result.output))


class Merging(LocalSession):
    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{**options, "separate": False})


class Inheriting(LocalSession):
    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{**options, "env": {**os.environ, **(options.get("env") or self.image.env)}})


class Shelly(LocalSession):
    """Has a shell read the arguments once more."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(["/bin/sh", "-c", " ".join(argv)] if len(argv) > 3 else argv, **options)


class Rooted(LocalSession):
    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{**options, "cwd": "/"})


class Deaf(LocalSession):
    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{**options, "stdin": b""})


class Patient(LocalSession):
    """Kills at time-out only the command itself."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        timeout = options.pop("timeout", None)
        script = ["/usr/bin/timeout", "-s", "KILL", str(timeout), *argv] if timeout else list(argv)
        result = super().run(script, **options)
        return replace(result, timed_out=result.exit_code == 137)


class Timeless(LocalSession):
    """Knows of no limit but the one given with the command."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{"timeout": 30, **options})


class Trusting(LocalSession):
    """Looks at no argument before it is too late."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run([argument.replace("\0", "")[: 1 << 10] for argument in argv], **options)


class OneAtATime(LocalSession):
    """Runs a command when the last one has ended."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        with _ONE:
            return super().run(argv, **options)


_ONE = threading.Lock()


class Merciless(LocalSession):
    """Kills all commands at the time-out of one."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        result = super().run(argv, **options)
        if result.timed_out:
            self.kill()
        return result


class Narrow(LocalSession):
    """Takes no more arguments than fit in one."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        if sum(map(len, argv)) > 128 << 10:
            raise UserError("too much for me")
        return super().run(argv, **options)


class Cutting(LocalSession):
    """Makes arguments fit."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run([argument[: 100 << 10] for argument in argv[:40]], **options)


class Ignoring(LocalSession):
    """Runs everything as root, whoever it is to run as."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{**options, "user": None})


class Believing(LocalSession):
    """Believes what the session says of its users, unread."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        user = options.pop("user", None)
        if user:
            passwd = self.read("/etc/passwd", limit=1 << 30).decode()
            options["env"] = {"ID": next((line for line in passwd.splitlines() if line.startswith(user)), "")}
        return super().run(argv, **options)


class Numb(LocalSession):
    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> HostProcess:
        return NumbProcess(super().open(argv, cwd=cwd, env=env).popen, lambda: None)


class NumbProcess(HostProcess):
    """Hears no signal, and leaves its children behind."""

    def signal(self, number: int) -> None:
        pass


BROKEN: list[tuple[type[LocalSession], str]] = [
    (Cheerful, "test_it_tells_output_and_exit_code"),
    (Negative, "test_a_signal_is_128_and_its_number"),
    (Textual, "test_bytes_of_any_kind_come_out_unchanged"),
    (Miscounting, "test_more_output_than_allowed_is_cut_and_counted"),
    (Merging, "test_errors_come_apart_when_asked_for"),
    (Inheriting, "test_the_environment_is_what_was_given"),
    (Inheriting, "test_the_environment_is_the_images_where_none_was_given"),
    (Shelly, "test_arguments_arrive_as_they_are"),
    (Rooted, "test_it_starts_where_it_was_told_to"),
    (Rooted, "test_a_working_directory_that_is_not_there_is_126"),
    (Deaf, "test_standard_input_arrives_whole_and_ends"),
    (Patient, "test_timeout_kills_the_children_too"),
    (Timeless, "test_the_sessions_limit_holds_where_no_time_is_given"),
    (Trusting, "test_a_nul_byte_is_the_callers_mistake"),
    (Trusting, "test_arguments_over_8_mib_are_the_callers_mistake"),
    (Narrow, "test_arguments_arrive_up_to_the_kernels_limit"),
    (Cutting, "test_arguments_over_the_kernels_limit_are_126"),
    (OneAtATime, "test_several_commands_run_at_once_in_a_session"),
    (Merciless, "test_a_time_out_kills_nothing_of_other_commands"),
    (Ignoring, "test_a_command_runs_as_the_user_that_is_named"),
    (Ignoring, "test_a_user_may_do_what_a_user_may"),
    (Ignoring, "test_a_user_that_is_not_there_is_126"),
    (Ignoring, "test_what_is_no_user_is_the_callers_mistake"),
    (Ignoring, "test_who_has_one_user_says_so"),
    (Believing, "test_what_a_session_says_of_users_is_not_trusted"),
    (Numb, "test_a_process_can_be_sent_signals"),
    (Numb, "test_closing_a_process_kills_what_it_started"),
]
