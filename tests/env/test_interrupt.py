"""`Env.interrupt`: an action is stopped as by Ctrl-C in a terminal, and killed where it does not heed that."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import intercode
from intercode.env.env import Env
from intercode.types import Action, Observation
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.sandbox import Limits, Sandbox
from intercode_sandbox.testing.fixtures import alive, appears, disappears, mark
from intercode_sandbox.testing.patience import patience

WHERE: dict[str, Callable[[], Sandbox]] = {
    "embedded": EmbeddedSandbox,
    "local": lambda: LocalSandbox(i_know_this_is_unsafe=True),
}
LONG = Limits(seconds=120)
PERSISTENT: dict[str, Any] = {"shell": "persistent", "scoring": "exact"}


@pytest.fixture(scope="module", params=WHERE)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with WHERE[request.param]() as found:
        yield found


def env_in(sandbox: Sandbox, dataset: str, **options: Any) -> Env:
    env = intercode.make(dataset, sandbox=sandbox, limits=LONG, **options)
    env.reset(options={"task": 0})
    return env


def run(env: Env, text: str) -> Observation:
    return env.take_action(Action("execute", text)).observation


def interrupted(env: Env, text: str, begun: str) -> tuple[Observation, float]:
    """What is seen of the action *text*, interrupted once the process *begun* lives, and the seconds that took."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run, env, text)
        assert appears(begun)
        began = time.monotonic()
        env.interrupt()
        return running.result(), time.monotonic() - began


def test_a_shell_that_stays_keeps_its_variables(sandbox: Sandbox) -> None:
    with env_in(sandbox, "starter", **PERSISTENT) as env:
        word, job = mark(), mark()
        run(env, f"x=kept; sleep {job} & f() {{ echo $x; }}; cd /tmp")
        assert appears(job)
        seen, seconds = interrupted(env, f"echo begun; while :; do sleep {word}; done; echo never", word)
        assert (seen.text, seen.exit_code, seen.timed_out) == ("begun\n", 130, False)
        assert seconds < patience(30)
        assert disappears(word)
        assert alive(job), "Ctrl-C does not reach what runs in the background"
        assert run(env, "f; pwd").text == "kept\n/tmp\n"
        assert env.turn == 3


def test_an_interpreter_keeps_its_variables(sandbox: Sandbox) -> None:
    with env_in(sandbox, "starter-python") as env:
        run(env, "x = 'kept'\nimport subprocess")
        word = mark()
        seen, _ = interrupted(env, f"subprocess.run(['sleep', '{word}'])\nx = 'lost'", word)
        assert seen.text.rstrip().endswith("KeyboardInterrupt")
        assert (seen.exit_code, seen.timed_out) == (1, False)
        assert disappears(word)
        assert run(env, "x").text == "'kept'\n"


def test_a_program_may_end_as_it_likes(sandbox: Sandbox) -> None:
    with env_in(sandbox, "starter") as env:
        word = mark()
        command = f"trap 'echo caught; exit 3' INT; begins={word[:4]}; sleep $begins{word[4:]}"
        seen, _ = interrupted(env, command, word)  # which is an argument of `sleep` alone: by then there is a trap
        assert (seen.text, seen.exit_code) == ("caught\n", 3)


@pytest.mark.parametrize(
    ("dataset", "options", "deaf", "gone"),
    [
        ("starter", PERSISTENT, "x=1; trap '' INT; while :; do sleep {}; done", "echo [$x]"),
        (
            "starter-python",
            {},
            "import os, signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nos.system('sleep {}')",
            "print(['signal' in globals()])",
        ),
    ],
)
def test_what_does_not_heed_it_is_killed(
    sandbox: Sandbox, dataset: str, options: dict[str, Any], deaf: str, gone: str
) -> None:
    with env_in(sandbox, dataset, **options) as env:
        word = mark()
        seen, _ = interrupted(env, deaf.format(word), word)
        assert "ended with status 137" in seen.text
        assert disappears(word)
        assert run(env, gone).text in ("[]\n", "[False]\n")


def test_it_is_harmless_when_no_action_runs(sandbox: Sandbox) -> None:
    with env_in(sandbox, "starter", **PERSISTENT) as env:
        word = mark()
        run(env, f"x=kept; sleep {word} &")
        assert appears(word)
        env.interrupt()
        assert alive(word)
        assert run(env, "echo $x").text == "kept\n"


def test_an_origin_is_not_interrupted_for_its_fork() -> None:
    with EmbeddedSandbox() as sandbox, env_in(sandbox, "starter") as env, env.fork() as twin:
        word, job = mark(), mark()
        run(env, f"sleep {job} > /dev/null 2>&1 &")
        assert appears(job)
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(run, twin, f"sleep {word}")
            assert appears(word)
            env.interrupt()
            assert alive(job)
            assert alive(word)
            twin.interrupt()
            assert running.result().exit_code == 130
