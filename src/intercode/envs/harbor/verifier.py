"""A task's verifier, run over what an agent has left: its tests are copied in only now, into a copy that nobody sees.

What the agent left at the places of tests and rewards is removed first; where that cannot be done, nothing that is
found there is believed. The programs in the copy are still those that the agent has left, as in Harbor.
"""

from __future__ import annotations

from intercode.datasets.harbor_tasks import HarborTask
from intercode.datasets.harbor_tasks.settings import TESTS
from intercode.errors import BadDataError
from intercode.rewards.harbor.reward_file import FILES, VerifierEnding, read_rewards
from intercode.sandboxes.base import Session

PLACES = ("/tests", *FILES)
LONGEST = 1 << 16
"""Bytes of a reward file."""

IN_THE_WAY = "the places of tests and rewards could not be cleared of what was left there"
OUT_OF_TIME = "the verifier did not end in its time"


def run_verifier(session: Session, task: HarborTask) -> VerifierEnding:
    """What the verifier of *task* says of *session*, which it changes."""
    session.kill()
    session.run(["/bin/rm", "-rf", "--", "/tests", *FILES])
    if not all(_is_gone(session, place) for place in PLACES):
        return VerifierEnding(None, (IN_THE_WAY,))
    try:
        session.write(
            f"/{TESTS}", (task.folder / TESTS).read_bytes(), mode=0o755
        )  # the first to write it sets the mode
        session.upload(task.folder / "tests", "/tests")
        session.write("/logs/verifier/test-stdout.txt", b"")
    except OSError as error:  # such as a file where a folder is wanted, or a full disk: the agent's doing
        return VerifierEnding(None, (f"{IN_THE_WAY}: {error.strerror}",))
    env = {**session.image.env, **task.verifier_env}
    argv = ["/bin/bash", "-c", f"/{TESTS}"]
    result = session.run(argv, cwd=session.image.workdir, env=env, timeout=task.verifier_seconds)
    session.kill()
    notes = (OUT_OF_TIME,) if result.timed_out else ()
    return _read(session, (*notes, f"the verifier ended with status {result.exit_code}"))


def _is_gone(session: Session, place: str) -> bool:
    try:
        session.read(place, limit=1)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


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
