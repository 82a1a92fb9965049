"""Folders with a task of one's own, as `intercode new` makes them and as people break them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from intercode import datasets
from intercode.cli.new import THERE, template_of
from intercode.datasets.base import Dataset
from intercode.datasets.task_folder import TaskFolderDataset
from intercode.errors import BadDataError, UnknownNameError
from intercode.runs.settings import Settings
from intercode.runs.trust import guarded
from intercode.testing.dataset import DatasetContract
from intercode.types import Task
from intercode_sandbox import images
from intercode_sandbox.sandbox import Limits

OWN_TASK = Path(__file__).parents[2] / "docs" / "how-to" / "own-task.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The Bash template, to be changed."""
    return Path(shutil.copytree(template_of("bash"), tmp_path / "pantry"))


@pytest.mark.parametrize("world", THERE)
class TestTemplates(DatasetContract):
    @pytest.fixture
    def dataset(self, world: str, tmp_path: Path) -> Dataset:
        return datasets.load(str(shutil.copytree(template_of(world), tmp_path / "mine")))


def test_a_folder_says_what_holds_in_it(folder: Path) -> None:
    dataset = datasets.load(str(folder))
    assert isinstance(dataset, TaskFolderDataset)
    assert (dataset.name, dataset.world, dataset.default_image, dataset.default_scoring) == (
        "pantry", "bash", "host", "exact",
    )  # fmt: skip
    assert dataset.default_limits == Limits(seconds=10, memory=512 << 20, disk=64 << 20, processes=64)
    assert [task.id for task in dataset] == ["pantry/0", "pantry/1", "pantry/2"]


def test_one_line_and_a_table_are_enough(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text('world = "bash"')
    (tmp_path / "tasks.csv").write_text("query,gold\nSay hi.,echo hi\n")
    dataset = datasets.load(str(tmp_path))
    assert (dataset.world, dataset.default_image, dataset.default_limits) == ("bash", "host", None)
    assert dataset[0] == Task(f"{tmp_path.name}/0", "Say hi.", "echo hi")


def test_the_columns_may_have_other_names(folder: Path) -> None:
    (folder / "task.toml").write_text('query = "nl"\ngold = "bash"\n')
    (folder / "tasks.jsonl").write_text('{"nl": "Say hi.", "bash": "echo hi"}\n')
    assert datasets.load(str(folder))[0].gold == "echo hi"


def test_what_its_settings_judge_holds_for_every_task_beside_its_own(folder: Path) -> None:
    (folder / "task.toml").write_text('criteria = ["file_times"]')
    records = [{"query": "a", "gold": "b"}, {"query": "a", "gold": "b", "criteria": "working_directory"}]
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, records)))
    one, other = TaskFolderDataset(folder)
    assert one.criteria.names == ("file_times",)
    assert other.criteria.names == ("file_times", "working_directory")


def test_files_lie_in_the_sandbox_as_they_lie_in_the_folder(folder: Path) -> None:
    script = folder / "files" / "pantry" / "count.sh"
    script.write_text("wc -l\n")
    script.chmod(0o700)
    (folder / "files" / "flour").symlink_to("/pantry/flour.txt")
    dataset = datasets.load(str(folder))
    base = images.find("host")
    image = dataset.image(dataset[0], base)
    assert image.layers[: len(base.layers)] == base.layers
    assert image is dataset.image(dataset[1], base)
    script.chmod(0o600)
    other = datasets.load(str(folder))
    assert other.image(other[0], base).digest != image.digest


def test_what_can_be_no_file_in_a_sandbox_is_refused(folder: Path) -> None:
    os.mkfifo(folder / "files" / "pipe")
    with pytest.raises(BadDataError, match="pipe is neither a file nor a folder nor a link"):
        datasets.load(str(folder))


def test_debuggers_are_let_work_where_that_is_asked_for(folder: Path) -> None:
    """What the key stands beside is not lost."""
    (folder / "task.toml").write_text("tracing = true\n[limits]\nseconds = 3\n")
    assert datasets.load(str(folder)).default_limits == Limits(seconds=3, tracing=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("world = ", "is not TOML"),
        ("world = 'swe'", "world: tasks of 'swe' are no folder's: they need repositories and tests"),
        ("word = 'bash'", "no key is called 'word'; there are: world, image"),
        ("world = ''", "world: expected a string, not empty"),
        ("image = 3", "image: expected a string, not a number"),
        ("scoring = 'best'", "scoring: expected paper or exact, not 'best'"),
        ("network = 'yes'", 'network: a network of \'yes\': expected "none", "allow" or a list of hosts'),
        ("tracing = 1", "tracing: expected true or false, not a number"),
        ("limits = { tracing = true }", "no key is called limits.'tracing'"),
        ("limits = { network = true }", "no key is called limits.'network'"),
        ("world = 'sql'\nnetwork = true", "network: in the world sql nothing runs in a sandbox"),
        ("limits = 3", "limits: expected a table"),
        ("limits = { time = 3 }", "no key is called limits.'time'; there are: seconds, memory"),
        ("limits = { seconds = 0 }", "limits.seconds: expected a number above 0, at most 1,000,000, not 0"),
        ("limits = { seconds = nan }", "limits.seconds: expected a number above 0, at most 1,000,000, not nan"),
        ("limits = { seconds = inf }", "1,000,000, not inf"),
        ("limits = { memory = nan }", "expected a size such as 268435456 or '256 MB', not nan"),
        ("limits = { memory = 1e30 }", ", not 1e+30"),
        ("world = 'sql'\nlimits = { seconds = 1 }", "limits: in the world sql every statement has 10 s"),
        ("limits = { memory = 'much' }", "limits.memory: expected a size such as 268435456 or '256 MB', not 'much'"),
        ("limits = { processes = 1.5 }", ", not 1.5"),
        ("limits = { processes = true }", ", not True"),
        ("criteria = ['speed']", "criteria: no criterion is called 'speed'; there are: file_times, working_directory"),
        ("world = 'sql'\ncriteria = ['any_order']", "criteria: the world sql has no criteria to choose"),
    ],
)
def test_a_mistake_in_its_settings_is_named_with_file_and_key(folder: Path, text: str, message: str) -> None:
    (folder / "task.toml").write_text(text)
    with pytest.raises(BadDataError) as caught:
        datasets.load(str(folder))
    assert str(folder / "task.toml") in str(caught.value)
    assert message in str(caught.value)


def test_a_dockerfile_is_handed_to_the_images_unless_one_is_named(folder: Path) -> None:
    (folder / "task.toml").write_text('world = "bash"\n')
    assert datasets.load(str(folder)).default_image == str(folder.resolve())
    (folder / "Dockerfile").unlink()
    assert datasets.load(str(folder)).default_image == "host"


def test_reading_a_folder_runs_none_of_its_code(folder: Path) -> None:
    """Not even its tasks' list, which anybody may want to see first."""
    (folder / "reward.py").write_text("raise SystemExit('run')\n")
    (folder / "world.py").write_text("raise SystemExit('run')\n")
    (folder / "task.toml").write_text('world = "world.py"\n')
    dataset = datasets.load(str(folder))
    assert dataset.reward_file == folder / "reward.py"
    assert dataset.world == str(folder / "world.py")


def test_what_judges_is_in_the_checksum(folder: Path) -> None:
    seen = {datasets.load(str(folder)).checksum}
    for text in ("def reward(ending): return 1", "def reward(ending): return 0"):
        (folder / "reward.py").write_text(text)
        seen.add(datasets.load(str(folder)).checksum)
    assert len(seen) == 3


def test_a_packaged_folder_is_found_by_its_name(tmp_path: Path) -> None:
    """A wheel of the page's own recipe, unpacked as installers do. Also at gymnasium."""
    recipe = OWN_TASK.read_text().partition("```toml\n[build-system]")[2].partition("```")[0]
    named = 'larder = "kitchen.larder"'
    assert named in recipe
    (tmp_path / "pyproject.toml").write_text("[build-system]" + recipe.replace(named, f'bare = "kitchen"\n{named}'))
    shutil.copytree(template_of("bash"), tmp_path / "src" / "kitchen" / "larder")
    (tmp_path / "src" / "kitchen" / "__init__.py").touch()
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    subprocess.run(build, check=True, timeout=60, cwd=tmp_path, capture_output=True)
    (wheel,) = (tmp_path / "dist").iterdir()
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    program = """
import gymnasium, intercode
from intercode import datasets
from intercode.errors import BadDataError
assert "larder" in datasets.names()
assert datasets.load("larder")[0].id == "larder/0"
with gymnasium.make("intercode/larder-v1", turns=3) as env:
    assert env.reset(options={"task": 0})[0].startswith("How many grams")
    env.step(env.unwrapped.dataset[0].gold)
    assert env.step("submit")[1] == 1
try:
    datasets.load("bare")
except BadDataError as error:
    assert "should be the package kitchen, with a task.toml in its folder" in str(error)
else:
    raise AssertionError
"""
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60, env=env)


def test_a_packaged_world_has_a_name_and_adversaries_of_its_own(tmp_path: Path) -> None:
    """The world that `intercode new --world custom` begins with, moved into a package."""
    shutil.copytree(template_of("custom"), tmp_path / "birds")
    (tmp_path / "birds" / "__init__.py").touch()
    (tmp_path / "birds" / "task.toml").write_text('world = "awk"\n')
    world = tmp_path / "birds" / "world.py"
    own = '"awk", adversaries="birds.attacks:ADVERSARIES",\n'
    world.write_text(world.read_text().replace('"awk",\n', own, 1))
    (tmp_path / "birds" / "attacks.py").write_text(
        "from intercode.adversaries.adversary import Adversary, runs\n"
        "ADVERSARIES = (Adversary('prints', 'prints all', runs('{ print }')),)\n"
    )
    metadata = tmp_path / "birds-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: birds\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[intercode.worlds]\nbirds = birds\n[intercode.envs]\nawk = birds.world:AwkEnv\n"
    )
    program = """
import gymnasium, intercode.env
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.adversaries import of_world
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
with gymnasium.make("intercode/awk-v1", dataset=intercode.datasets.load("birds")) as env:
    assert env.reset()[1]["task"].startswith("birds/")
settings = Settings(dataset="birds", limit=1)
(check,) = HackCheck(prepare(settings), prepare(settings), of_world("awk")).run()
assert check.passes("exact")
assert [each.name for each in check.adversaries] == ["prints"]
"""
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60, env=env)


@pytest.mark.parametrize("where", ["absolute", "above", "through the folder", "link", "linked folder"])
def test_a_world_that_is_not_in_the_folder_is_refused_and_not_run(folder: Path, tmp_path: Path, where: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    stray = tmp_path / "elsewhere" / "world.py"
    stray.write_text("raise SystemExit('run')\n")
    (folder / "link.py").symlink_to(stray)
    (folder / "linked").symlink_to(stray.parent)
    named = {
        "absolute": str(stray),
        "above": "../elsewhere/world.py",
        "through the folder": "files/../../elsewhere/world.py",
        "link": "link.py",
        "linked folder": "linked/world.py",
    }
    (folder / "task.toml").write_text(f'world = "{named[where]}"\n')
    with pytest.raises(BadDataError, match=r"task\.toml, world: .*the folder"):
        datasets.load(str(folder))
    with pytest.raises(BadDataError, match=r"task\.toml, world: .*the folder"):  # nor where a run says what is played
        guarded(Settings(dataset=str(folder)), False)


def test_a_folder_may_itself_be_reached_by_a_link(folder: Path, tmp_path: Path) -> None:
    (folder / "worlds").mkdir()
    (folder / "worlds" / "mine.py").write_text("")
    (folder / "task.toml").write_text('world = "worlds/mine.py"\n')
    (tmp_path / "link").symlink_to(folder)
    assert datasets.load(str(tmp_path / "link")).world == str(tmp_path / "link" / "worlds" / "mine.py")


@pytest.mark.parametrize("name", ["reward.py", "files"])
def test_a_reward_or_files_that_are_links_to_elsewhere_are_refused(folder: Path, tmp_path: Path, name: str) -> None:
    """Code of elsewhere would be run, and an agent would be shown the user's own files."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine.py").touch()
    shutil.rmtree(folder / "files")
    (folder / name).symlink_to(tmp_path / ("mine.py" if name == "reward.py" else "mine"))
    with pytest.raises(BadDataError, match=rf"{name}: a link leads out of the folder"):
        datasets.load(str(folder))


@pytest.mark.parametrize("name", ["task_assets", "task_assets/letter", "services", "services/butler"])
def test_what_a_challenge_brings_lies_in_its_folder(tmp_path: Path, name: str) -> None:
    folder = Path(shutil.copytree(template_of("ctf"), tmp_path / "flags"))
    shutil.move(folder / name, tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadDataError, match=rf"{name}: a link leads out of the folder"):
        datasets.load(str(folder))


@pytest.mark.parametrize("text", [f"a = {'[' * 5000}", f"a = {'1' * 5000}", "a = {b=" * 3000])
def test_a_task_toml_that_no_program_can_read_is_refused(folder: Path, text: str) -> None:
    (folder / "task.toml").write_text(text)
    with pytest.raises(BadDataError, match=r"task\.toml is not TOML"):
        datasets.load(str(folder))


@pytest.mark.parametrize("name", ["/", "//", "/tmp/.."])
def test_the_whole_machine_is_no_image(name: str) -> None:
    with pytest.raises(UnknownNameError, match="all of this machine"):
        images.find(name)
