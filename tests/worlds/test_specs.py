"""What is known of worlds: of ours, of those that are not there, and where nobody may name one."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from intercode import registry, world_specs
from intercode.env.env import Env
from intercode.worlds import WorldSpec

SOURCE = Path(world_specs.__file__).parents[1]

MAY_NAME_WORLDS = (
    "worlds/",  # each names itself
    "datasets",  # each says which world its tasks are of
    "testing",  # contracts of one world's parts
    "agents/parsers/fences.py",  # languages, as models write them
    "agents/parsers/paper.py",  # what was published
    "report/paper.py",
    "audit/replay/published",
    "audit/hackcheck/adversaries.py",  # shells
    "env/clock_words.py",  # languages
    "runs/manifest.py",  # programs, by their versions
    "types/databases.py",  # kinds of files
    "types/tasks.py",  # the default
    "integrations/inspect/config.py",  # an image and a shell
    "integrations/inspect/image_names.py",  # images
    "util/database_files.py",  # kinds of files
    "view/foreign",  # logs of other programs, which say nothing of worlds
)
"""Where the name of a world is a fact about that world, or is the name of something else."""


@pytest.mark.parametrize("name", world_specs.names())
def test_each_of_ours_is_described_as_it_is_played(name: str) -> None:
    spec, env = world_specs.find(name), registry.find("envs", name)
    assert spec.name == name == env.world
    assert env.world_spec is spec
    assert spec.prompts is not None
    assert spec.accepts_fence(spec.language)


def test_there_is_a_description_for_each_environment() -> None:
    assert set(world_specs.names()) == set(registry.names("envs"))


def test_one_that_is_not_there_has_a_name_and_no_more() -> None:
    """A record may be older than what is installed."""
    assert world_specs.find("chess") == WorldSpec("chess", language="chess")
    assert world_specs.find("x\0/../é").name == "x\0/../é"


def test_a_file_that_a_record_names_is_not_run(tmp_path: Path) -> None:
    """To show a run of somebody else's must run no code of theirs."""
    file = tmp_path / "world.py"
    file.write_text("raise SystemExit('run')\n")
    assert world_specs.find(str(file)) == WorldSpec(str(file))


def test_a_file_that_is_played_is_known_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "world.py"
    file.write_text(
        "from intercode.env.env import Env\nfrom intercode.worlds import WorldSpec\n"
        "class LuaEnv(Env):\n    world_spec = WorldSpec('lua', language='lua')\n    def execute(self, text): ...\n"
    )
    assert registry.find("envs", str(file)).world == "lua"
    assert world_specs.find(str(file)).language == "lua"


def test_a_class_that_only_says_its_name_is_described_by_it() -> None:
    class Chess(Env):
        world = "chess"

    class Blitz(Chess):
        pass

    class Shell(Env):
        world = "bash"

    assert Blitz.world_spec == WorldSpec("chess", language="chess")
    assert Shell.world_spec is world_specs.find("bash")


def test_to_know_of_a_world_loads_none() -> None:
    """`intercode show` must not load an environment in order to colour code."""
    program = (
        "import sys\nfrom intercode import world_specs\n"
        "[world_specs.find(name) for name in world_specs.names()]\n"
        "assert not {'gymnasium', 'intercode.env', 'intercode_sandbox.sandbox'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60)


def test_no_world_is_named_where_any_may_be_played() -> None:
    """A list of worlds in an agent, a command or a report would leave out those of other packages."""
    found = []
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE).as_posix()
        if place.startswith(MAY_NAME_WORLDS) or "/templates/" in place:
            continue
        found += [f"{place}:{line}: {name}" for line, name in _named(path)]
    assert not found


def _named(path: Path) -> list[tuple[int, str]]:
    """The places where a whole text is a world's name; the names of programs in a list of commands are none."""
    tree = ast.parse(path.read_bytes())
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in world_specs.names()
    ]
