"""A task's verifier, run over a copy of what an agent has left: its tests are copied in only now.

The copy's system is the image's (see `intercode.env.judging_copy`), and nothing is left at the places of tests
and rewards: what is found there afterwards is the verifier's. It reaches services of the agent (see `services`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from intercode.env.judging_copy import JudgingCopies, Places
from intercode.errors import BadDataError
from intercode.worlds.harbor.reward_file import FILES, VerifierEnding, read_rewards
from intercode.worlds.harbor.services import services_reached
from intercode.worlds.harbor.task_settings import TESTS, HarborTask
from intercode_sandbox.sandbox import Session

RESERVED = ("/tests", "/solution", "/oracle", "/logs/verifier")
"""Where Harbor puts tests and solutions, and where verifiers write."""

OUTPUT = "/logs/verifier/test-stdout.txt"

LONGEST = 1 << 16
"""Bytes of a reward file, and of a file of tests that is searched for the folders in which it runs something."""

PRINTED = 4000
"""Characters that are kept of what a verifier printed."""

IN_THE_WAY = "the places of tests and rewards could not be written"
OUT_OF_TIME = "the verifier did not end in its time"


def judge(
    copies: JudgingCopies, session: Session, task: HarborTask, seconds: float = math.inf, ports: tuple[int, ...] = ()
) -> VerifierEnding:
    """Return what the verifier of *task* says of *session*, of which it gets a copy; it gets no more than *seconds*.

    It reaches what answers at *ports* of the session. Without any, all that runs there is ended.

    Raises:
        SessionLostError: If what was left there lets no copy be made.
    """
    if not ports:
        session.kill()
    limits = replace(session.limits, seconds=max(session.limits.seconds, task.verifier_seconds))
    with (
        copies.copy(session, limits, Places.of(_texts(task), session.image.workdir or "/")) as copy,
        services_reached(session, copy.session, ports),
    ):
        ending = _run(copy.session, task, min(seconds, task.verifier_seconds))
    return replace(ending, notes=(*ending.notes, *copy.notes))


def _run(session: Session, task: HarborTask, seconds: float) -> VerifierEnding:
    try:
        session.write(
            f"/{TESTS}", (task.folder / TESTS).read_bytes(), mode=0o755
        )  # the first to write it sets the mode
        session.upload(task.folder / "tests", "/tests")
        session.write(OUTPUT, b"")
    except OSError as error:  # such as a full disk: the agent's doing
        return VerifierEnding(None, (f"{IN_THE_WAY}: {error.strerror}",))
    env = {**session.image.env, **task.verifier_env}
    argv = ["/bin/bash", "-c", f"/{TESTS}"]
    result = session.run(argv, cwd=session.image.workdir, env=env, timeout=seconds)
    session.kill()
    notes = (OUT_OF_TIME,) if result.timed_out else ()
    ending = _read(session, (*notes, f"the verifier ended with status {result.exit_code}"))
    return replace(ending, output=result.text.strip()[-PRINTED:])


def _texts(task: HarborTask) -> Iterator[str]:
    """Its variables, and the beginnings of the files of its tests: they may say where they go on."""
    yield from (f"{name}={value}" for name, value in task.verifier_env.items())
    for path in sorted((task.folder / "tests").rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                yield file.read(LONGEST).decode("utf-8", "replace")


def _read(session: Session, notes: tuple[str, ...]) -> VerifierEnding:
    for place in FILES:
        try:
            data = session.read(place, limit=LONGEST)
        except FileNotFoundError:
            continue
        except OSError as error:
            return VerifierEnding(None, (*notes, f"{place} cannot be read: {error.strerror}"))
        try:
            return VerifierEnding(read_rewards(data), notes)
        except BadDataError as error:
            return VerifierEnding(None, (*notes, str(error)))
    return VerifierEnding(None, (*notes, "it wrote no reward"))
