"""What all tests share: options of the command line, where the published data is, a Docker engine."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from gymnasium.utils import seeding
from hypothesis import settings

from intercode_sandbox.testing.docker_engine import DockerEngine, NoDockerEngine

# Processes inherit it when SIGINT is ignored, as in whatever a script starts with `&`: those that tests start and
# interrupt would not notice.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Where readline is GNU's, importing it tells all programs that are started the width of a terminal; there is none.
os.environ.pop("COLUMNS", None)
os.environ.pop("LINES", None)

settings.register_profile("the same every time", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=1000, deadline=None)  # --hypothesis-profile=search
settings.load_profile("the same every time")


ROOT = Path(__file__).parent / "tests"
SANDBOX = Path(__file__).parent / "packages/sandbox/tests"
sys.path[:0] = [str(ROOT), str(SANDBOX)]  # what tests of several folders share lies there

collect_ignore = ["tests/integrations"]  # each in an environment of its own: `make test-integrations`

ESSENTIAL = (
    "agents", "cli/test_main.py", "conformance/test_flaws_of_the_published_reward.py",
    "conformance/test_recorded_bash.py", "worlds/sql/databases/dialect", "worlds/sql/databases/test_sqlite.py",
    "datasets/test_load.py", "datasets/test_starter.py", "docs/test_code_blocks.py", "worlds/bash/test_bash.py",
    "worlds/bash/test_bash_contract.py", "worlds/ctf/test_ctf_contract.py", "worlds/python/test_python_contract.py",
    "env/test_rewards.py", "env/test_snapshots.py", "env/test_spaces.py", "worlds/sql/test_sql.py",
    "worlds/swe/test_swe_contract.py", "models/test_parts.py", "rewards", "runs/test_episode.py",
    "runs/test_replay_compare.py", "runs/test_report_statistics.py", "runs/test_settings.py", "test_polling.py",
    "test_module_names.py", "test_types.py", "testing/test_contract_of_agents.py", "testing/test_env_contract.py",
    "worlds/test_specs.py", "worlds/bash/scoring", "worlds/sql/scoring", "worlds/python/test_hidden_tests.py",
    "worlds/python/test_unit_tests.py", "worlds/swe/test_patch.py", "worlds/ctf/test_flag.py",
    "worlds/harbor/test_reward_file.py",
)  # fmt: skip
"""What `make test` runs: files and folders here. Not those of their tests that are marked `slow`."""

ESSENTIAL_OF_SANDBOXES = ("security", "test_embedded_contract.py", "test_scripted_sandbox.py", "test_text.py")
"""The same, of the sandbox's own tests."""

ATTACKS = re.compile("security/|attack|cheat|hostile|hackcheck|planted_holes|isolation", re.IGNORECASE)
"""What says, in a test's file, its class or its own name, that it attacks: a sandbox, a reward, or who reads a run."""

ENGINES = {"docker_engine", "docker_url", "podman"}
"""Fixtures that start an engine: a test that asks for one is slow."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of ours.

    `--conformance=whole` replays every published recording, `--banks=whole` plays hackcheck on every planted hole, and
    `--tier` chooses between what is quick and the rest.
    """
    parser.addoption("--banks", choices=("sample", "whole"), default="sample")
    parser.addoption("--conformance", choices=("sample", "whole"), default="sample")
    parser.addoption("--tier", choices=("essential", "rest", "all"), default="all")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files of another tier are not even imported."""
    if (
        config.getoption("--tier") == "essential"
        and collection_path.suffix == ".py"
        and not _is_essential(collection_path)
    ):
        return True
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the tests of one tier, and say how often a test that fails is run again.

    Twice where it depends on how busy the machine is; never where it attacks, since one success is a hole; else as
    `--reruns` says.
    """
    for item in items:
        if mark := item.get_closest_marker("flaky_when_busy"):
            assert mark.args, f"{item.nodeid}: flaky_when_busy wants a reason"
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=2))
        elif _is_attack(item):
            item.add_marker(pytest.mark.flaky(reruns=0))
    if config.getoption("--banks") == "sample":
        _choose(config, items, [item for item in items if not _is_left_out_of_a_sample(item)])
    tier = config.getoption("--tier")
    if tier != "all":
        is_quick = tier == "essential"
        _choose(config, items, [item for item in items if _is_quick(item) == is_quick])


def _choose(config: pytest.Config, items: list[pytest.Item], chosen: list[pytest.Item]) -> None:
    kept = set(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = chosen


def _is_left_out_of_a_sample(item: pytest.Item) -> bool:
    """Eleven of twelve data sets of each bank, the same every time."""
    is_one_of_many = item.get_closest_marker("bank") is not None and hasattr(item, "callspec")
    return is_one_of_many and crc32(item.name.encode()) % 12 > 0


def _is_attack(item: pytest.Item) -> bool:
    repository = ROOT.parent
    path = item.path.relative_to(repository) if item.path.is_relative_to(repository) else item.path
    name = getattr(getattr(item, "function", None), "__qualname__", item.name)  # of a contract's test its own class
    return ATTACKS.search(f"{path.as_posix()} {name}") is not None


def _is_quick(item: pytest.Item) -> bool:
    return _is_essential(item.path) and not _is_slow(item)


def _is_essential(path: Path) -> bool:
    chosen = [*(ROOT / each for each in ESSENTIAL), *(SANDBOX / each for each in ESSENTIAL_OF_SANDBOXES)]
    return path.name == "conftest.py" or any(path.is_relative_to(each) for each in chosen)


def _is_slow(item: pytest.Item) -> bool:
    needs_engine = bool(ENGINES & set(getattr(item, "fixturenames", ()))) or "[docker" in item.name
    return needs_engine or item.get_closest_marker("slow") is not None


@pytest.fixture(autouse=True)
def the_same_tasks_every_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that is given no seed draws the same tasks whenever a test runs: it fails always or never."""
    seeds = count(crc32(request.node.nodeid.encode()))
    seeded = seeding.np_random

    def np_random(seed: int | None = None) -> tuple[np.random.Generator, int]:
        return seeded(next(seeds) if seed is None else seed)

    monkeypatch.setattr(seeding, "np_random", np_random)


@pytest.fixture(scope="session")
def published_data() -> Path:
    """The folder of the published data; tests that ask for it are skipped where there is none."""
    beside = Path(__file__).parents[1] / "shared" / "data"
    folder = Path(os.environ.get("INTERCODE_DATA") or beside)
    if not (folder / "nl2bash").is_dir():
        pytest.skip(f"the published data is not at {folder}; INTERCODE_DATA names another place")
    os.environ["INTERCODE_DATA"] = str(folder)
    return folder


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[DockerEngine]:
    """A Docker engine: the machine's own or, as root, a private one for each process of the tests.

    Tests that ask for it are skipped, with the reason, where none can be had.
    """
    try:
        with DockerEngine() as engine:
            yield engine
    except NoDockerEngine as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def docker_url(docker_engine: DockerEngine) -> str:
    """Where it listens."""
    return docker_engine.url
