"""What cannot go to another process says so: pickled, copied, or after a fork."""

from __future__ import annotations

import copy
import os
import pickle
import traceback
from collections.abc import Callable

import pytest

import intercode
from intercode.env.env import Env
from intercode.errors import UserError
from intercode.types import Action
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.sandbox import Sandbox

WHERE: dict[str, Callable[[], Sandbox]] = {
    "embedded": EmbeddedSandbox,
    "local": lambda: LocalSandbox(i_know_this_is_unsafe=True),
}


def in_a_fork(work: Callable[[], None]) -> str:
    """What *work* raised in a fork of this process; "" for nothing."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = ""
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - told to the other process
                said = "".join(traceback.format_exception_only(error))
            os.write(writer, said.encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        said = file.read()
    os.waitpid(child, 0)
    return said


def refused(env: Env) -> list[Callable[[], object]]:
    """Everything that uses what belongs to another process."""
    uses: list[Callable[[], object]] = [
        env.reset,
        lambda: env.step("true"),
        lambda: env.take_action(Action("submit")),
        env.snapshot,
        env.fork,
        env.judge,
    ]
    if env.needs_sandbox:
        session = env.current_session
        uses += [
            lambda: env.sandbox.start(env.image),
            lambda: session.run(["true"]),
            lambda: session.read("/etc/passwd"),
            session.changes,
        ]
    return uses


@pytest.mark.parametrize("where", WHERE)
def test_pickling_and_copying_say_what_to_do(where: str) -> None:
    with WHERE[where]() as sandbox, intercode.make("starter", sandbox=sandbox) as env:
        env.reset()
        for each in (env, sandbox, env.current_session, intercode.AsyncEnv(env)):
            ways: list[Callable[[object], object]] = [pickle.dumps, copy.copy, copy.deepcopy]
            for way in ways:
                with pytest.raises(TypeError, match=r"cannot be copied or pickled.*make one in each process"):
                    way(each)


def test_a_database_too() -> None:
    with intercode.make("starter-sql", database="sqlite") as env:
        env.reset()
        for each in (env.database, env.connection):  # type: ignore[attr-defined]
            with pytest.raises(TypeError, match="make one in each process"):
                pickle.dumps(each)


@pytest.mark.parametrize("where", [*WHERE, "sqlite"])
def test_a_fork_is_refused_and_disturbs_nothing(where: str) -> None:
    options = {"database": "sqlite"} if where == "sqlite" else {"sandbox": WHERE[where]()}
    action = "SELECT 1" if where == "sqlite" else "echo here"
    with intercode.make("starter-sql" if where == "sqlite" else "starter", **options) as env:
        env.reset()
        before = env.step(action)[0]
        for use in refused(env):
            said = in_a_fork(lambda use=use: use())  # type: ignore[misc]
            assert said.startswith(UserError.__module__), said
            assert "was made in process" in said
        assert in_a_fork(env.close) == ""
        if env.needs_sandbox:
            assert in_a_fork(env.current_session.close) == ""
            assert in_a_fork(env.sandbox.close) == ""
        assert env.step(action)[0] == before
        env.reset()
        assert env.step(action)[0] == before
    if env.needs_sandbox:
        env.sandbox.close()


def test_a_fork_can_make_its_own() -> None:
    with intercode.make("starter", sandbox="embedded") as env:
        env.reset()

        def play() -> None:
            with intercode.make("starter") as other:
                other.reset()
                assert other.step("echo mine")[0] == "mine\n"

        assert in_a_fork(play) == ""
        assert env.step("echo here")[0] == "here\n"
