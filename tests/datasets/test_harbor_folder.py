"""Harbor's task folders as a data set: what is read, what is left out and why, and what images are made of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from intercode import datasets
from intercode.datasets.harbor_folder import HarborFolderDataset
from intercode.datasets.harbor_tasks import HarborTask
from intercode.errors import BadDataError, ImageError, UserError
from intercode.sandboxes import images

FOLDER = Path(__file__).parent / "harbor_tasks"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A copy of a task, to be changed."""
    return Path(shutil.copytree(FOLDER / "word-index", tmp_path / "word-index"))


def test_a_folder_of_tasks_is_known_by_its_content() -> None:
    found = datasets.load(str(FOLDER))
    assert isinstance(found, HarborFolderDataset)
    assert [each.id for each in found] == [
        f"harbor_tasks/{name}" for name in ("fix-counter", "log-report", "word-index")
    ]
    assert {each.world for each in found} == {"harbor"}
    report = found.find("log-report")
    assert (report.category, report.difficulty) == ("data-processing", "easy")
    assert report.query.startswith("The file `/app/access.log`")
    assert report.gold is not None
    assert "count.py" in report.gold


def test_a_single_task_is_a_data_set_too() -> None:
    assert [each.id for each in datasets.load(str(FOLDER / "log-report"))] == ["log-report/log-report"]


def test_limits_are_those_of_the_task() -> None:
    about = HarborTask.of(datasets.load(str(FOLDER)).find("log-report"))
    assert (about.agent_seconds, about.verifier_seconds, about.limits.seconds) == (120, 60, 120)
    assert about.limits.memory == 1 << 30
    older = HarborTask.of(datasets.load(str(FOLDER)).find("fix-counter"))  # it says "1G", and no time
    assert (older.agent_seconds, older.limits.memory) == (600, 1 << 30)


def test_what_an_agent_is_shown_holds_neither_gold_nor_tests() -> None:
    for each in datasets.load(str(FOLDER)):
        shown = repr(each.view())
        assert "harbor_tasks/word-index/tests" not in shown
        assert "solution" not in shown


def test_the_checksum_is_of_every_file(task: Path) -> None:
    before = HarborFolderDataset(task).checksum
    assert before == HarborFolderDataset(task).checksum
    (task / "tests" / "test.sh").write_text("echo 1 > /logs/verifier/reward.txt\n")
    assert HarborFolderDataset(task).checksum != before


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ('[[steps]]\nname = "one"', "several steps"),
        ("[environment]\ngpus = 1", "accelerator"),
        ('[environment]\nos = "Windows"', "Windows"),
        ('[verifier]\nenvironment_mode = "separate"', "environment of its own"),
        ('[agent]\nuser = "guest"', "root here"),
        ('[environment]\nmemory = "lots"', "environment.memory"),
        ("[agent]\ntimeout_sec = -1", "agent.timeout_sec"),
        ("[agent]\ntimeout_sec = inf", "agent.timeout_sec"),
        ('[verifier.env]\nKEY = "${OPENAI_API_KEY}"', "verifier.env.KEY"),
        ("agent = 3", "expected a table"),
        ("[", "not TOML"),
    ],
)
def test_what_cannot_be_played_here_is_refused_with_the_reason(task: Path, settings: str, why: str) -> None:
    (task / "task.toml").write_text(f"{settings}\n")
    with pytest.raises(BadDataError, match=why):
        HarborFolderDataset(task)


def test_a_folder_leaves_out_what_cannot_be_played_and_says_why(task: Path) -> None:
    shutil.copytree(FOLDER / "log-report", task.parent / "log-report")
    (task / "environment" / "docker-compose.yaml").write_text("services: {}\n")
    found = HarborFolderDataset(task.parent, name="mine")
    assert [each.id for each in found] == ["mine/log-report"]
    assert "several services" in found.left_out["word-index"]


def test_without_a_verifier_there_is_no_task(task: Path) -> None:
    (task / "tests" / "test.sh").unlink()
    with pytest.raises(BadDataError, match=r"no tests/test\.sh"):
        HarborFolderDataset(task)


def test_without_a_solution_there_is_no_gold(task: Path) -> None:
    shutil.rmtree(task / "solution")
    assert HarborFolderDataset(task)[0].gold is None


def test_the_image_is_the_same_object_and_says_what_it_is_made_of() -> None:
    found, base = HarborFolderDataset(FOLDER), images.find("host")
    image = found.image(found.find("fix-counter"), base)
    assert image is found.image(found.find("fix-counter"), base)
    assert (image.name, image.workdir, image.reproducible) == ("host+fix-counter", "/srv/counter", False)
    assert image.env["GREETING"] == "hello there"
    assert image.env["LIMIT"] == "10"


def test_packages_that_this_machine_lacks_are_named_with_the_ways_out(task: Path) -> None:
    (task / "environment" / "Dockerfile").write_text("FROM debian:12\nRUN apt-get install -y no-such-package\n")
    found = HarborFolderDataset(task)
    with pytest.raises(ImageError, match=r"installs no-such-package.*build=archive.*build=engine"):
        found.image(found[0], images.find("host"))


def test_from_an_archive_the_distribution_holds_the_packages(task: Path) -> None:
    (task / "environment" / "Dockerfile").write_text("FROM debian:12.8-slim\nRUN apt-get install -y tmux\n")
    found = HarborFolderDataset(task, build="archive")
    image = found.image(found[0], images.find("host"))
    assert image.name == "debian:bookworm+word-index"
    assert "bookworm with" in str(image.layers[0])
    assert image.layers[0].key != images.find("debian:bookworm").layers[0].key


def test_there_is_no_archive_of_python_images(task: Path) -> None:
    found = HarborFolderDataset(task, build="archive")
    with pytest.raises(BadDataError, match="no archive has python:3-slim"):
        found.image(found[0], images.find("host"))


def test_an_engine_builds_the_folder_as_it_is(task: Path) -> None:
    (task / "environment" / "Dockerfile").write_text("FROM alpine:3\nUSER guest\n")
    found = HarborFolderDataset(task, build="engine")
    assert str(found.image(found[0], images.find("host")).layers[0]).endswith("environment/Dockerfile")


def test_an_unknown_way_to_build_is_refused(task: Path) -> None:
    with pytest.raises(UserError, match="host, archive, engine"):
        datasets.load(str(task), build="kaniko")


@pytest.mark.parametrize(
    ("lines", "network"),
    [
        ('schema_version = "1.4"', True),
        ("[environment]\nallow_internet = false", False),
        ("[environment]\nallow_internet = true", True),
        ('[environment]\nnetwork_mode = "no-network"', False),
        ('[environment]\nnetwork_mode = "no-network"\n[agent]\nnetwork_mode = "public"', True),
    ],
)
def test_a_task_has_a_network_where_it_says_so_and_the_user_does(task: Path, lines: str, network: bool) -> None:
    (task / "task.toml").write_text(lines)
    for asked in (False, True):
        found = HarborFolderDataset(task, network=asked)
        assert HarborTask.of(found[0]).limits.network is (asked and network)


def test_a_list_of_allowed_hosts_is_refused_only_where_a_network_is_asked_for(task: Path) -> None:
    (task / "task.toml").write_text('[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["example.com"]\n')
    assert not HarborTask.of(HarborFolderDataset(task)[0]).limits.network
    with pytest.raises(BadDataError, match="list of allowed hosts"):
        HarborFolderDataset(task, network=True)
    with pytest.raises(UserError, match="true or false"):
        datasets.load(str(task), network="yes")
