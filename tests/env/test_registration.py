"""The world at gymnasium: by name, in vectors, from its spec."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from intercode.env.registration import register_all
from intercode.env.shared_texts import PLACE, SharedTexts
from intercode.worlds.bash import BashEnv

NAME = "intercode/Bash-v1"
NOT_SHARED = {"shared_memory": False}


@pytest.fixture(autouse=True)
def strict() -> Iterator[None]:
    """Gymnasium says in warnings what it does not like."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_it_is_made_by_name_and_passes_the_check() -> None:
    """Rendering and closing included, since it has a spec."""
    with gymnasium.make(NAME, render_mode="ansi") as env:
        assert isinstance(env.unwrapped, BashEnv)
        check_env(env.unwrapped)


def test_options_reach_it() -> None:
    with gymnasium.make(NAME, turns=3, scoring="paper") as env:
        world = env.unwrapped
        assert isinstance(world, BashEnv)
        assert (world.turns, world.scoring) == (3, "paper")


def test_it_can_be_made_again_from_its_spec() -> None:
    """Also in another process."""
    with gymnasium.make(NAME, turns=3) as env:
        spec = pickle.loads(pickle.dumps(env.spec))
    with gymnasium.make(spec) as again:
        assert again.spec == spec
        world = again.unwrapped
        assert isinstance(world, BashEnv)
        assert world.turns == 3


@pytest.mark.parametrize(
    "lines",
    [
        "import gymnasium, intercode; gymnasium.spec('intercode/Bash-v1')",
        "import intercode.env; import gymnasium; gymnasium.spec('intercode/Bash-v1')",
        "import gymnasium; gymnasium.make('intercode:intercode/Bash-v1').close()",
        "import gymnasium; gymnasium.make('intercode.env:intercode/Bash-v1').close()",
        "import intercode, sys; assert 'gymnasium' not in sys.modules",
    ],
)
def test_importing_is_all_it_takes(lines: str) -> None:
    """And the package alone does not load gymnasium."""
    subprocess.run([sys.executable, "-W", "error", "-c", lines], check=True, timeout=60)


def test_registering_twice_is_harmless() -> None:
    register_all()
    register_all()


@pytest.mark.parametrize(("mode", "how"), [("sync", {}), ("async", {}), ("async", NOT_SHARED)])
def test_it_works_in_vectors(mode: str, how: dict[str, Any]) -> None:
    """Each with its own seed; what has ended begins anew with the next step."""
    envs = gymnasium.make_vec(NAME, 3, vectorization_mode=mode, vector_kwargs=how, turns=2)
    try:
        assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
        queries, infos = envs.reset(seed=5)
        assert queries in envs.observation_space
        assert len(set(infos["task"])) > 1
        seen, rewards, terminations, truncations, infos = envs.step(("echo é", "submit", "skip"))
        assert seen[0] == "é\n"
        assert seen[2] == "skipped"
        assert (rewards.tolist(), terminations.tolist()) == ([0, 0, 0], [False, True, True])
        assert infos["scores"]["_exact"].tolist() == [False, True, False]
        seen, _, terminations, truncations, infos = envs.step(("true", "ignored", "ignored"))
        assert (terminations.tolist(), truncations.tolist()) == ([False] * 3, [True, False, False])
        assert infos["turn"].tolist() == [2, 0, 0]
        assert seen[1] != queries[1]
    finally:
        envs.close()


def test_equal_seeds_give_equal_vectors() -> None:
    """One by one or side by side."""
    seen = []
    for mode in ("sync", "async"):
        envs = gymnasium.make_vec(NAME, 2, vectorization_mode=mode)
        envs.action_space.seed(1)
        queries, _ = envs.reset(seed=1)
        seen.append((queries, envs.step(envs.action_space.sample())[0]))
        envs.close()
    assert seen[0] == seen[1]


def test_texts_of_any_length_come_from_other_processes() -> None:
    """As long as a session's output may be, and of bytes that are no text, which are three times as long as text."""
    envs = gymnasium.make_vec(NAME, 2, vectorization_mode="async")
    try:
        envs.reset(seed=1)
        seen = envs.step(("head -c 1000000 /dev/zero | tr '\\0' '\\377'", "true"))[0]
        assert seen == ("\ufffd" * 1_000_000, "")
        again = envs.step(("echo é", "echo a"))[0]
        assert (again, len(seen[0])) == (("é\n", "a\n"), 1_000_000), "what was seen stays what it was"
    finally:
        envs.close()


def test_a_text_that_is_longer_than_its_place_says_what_is_left_out() -> None:
    texts = SharedTexts(bytearray(2 * PLACE))
    texts.put(1, "é" * PLACE)
    first, second = texts
    assert first == ""
    assert second.startswith("éé")
    assert second.endswith(f"[{2 * PLACE - 2 * second.count('é')} more bytes left out]")
