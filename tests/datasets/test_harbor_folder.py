"""Harbor's task folders as a data set: what is read, what is left out and why, and what images are made of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from intercode import datasets
from intercode.errors import BadDataError, ImageError, UserError
from intercode.worlds.harbor.datasets.harbor_folder import HarborFolderDataset
from intercode.worlds.harbor.task_settings import HarborTask
from intercode_sandbox import images

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


@pytest.mark.parametrize(
    ("base", "name", "layers"),
    [
        ("debian:12.8-slim", "debian:bookworm", ["bookworm with 1 package and what they need"]),
        ("ubuntu:24.04", "ubuntu:noble", ["noble with 7 packages and what they need"]),
        (
            "python:3.12-slim-bookworm",
            "python:3.12-slim-bookworm",
            ["bookworm with 4 packages and what they need", "Python 3.12"],
        ),
    ],
)
def test_from_an_archive_the_base_is_as_small_as_the_container_image(
    task: Path, base: str, name: str, layers: list[str]
) -> None:
    (task / "environment" / "Dockerfile").write_text(f"FROM {base}\nRUN apt-get install -y tmux\n")
    found = HarborFolderDataset(task, build="archive")
    image = found.image(found[0], images.find("host"))
    assert image.name == f"{name}+word-index"
    below = [str(layer) for layer in image.layers[: len(layers) + 1]]
    assert [layer for layer in below if layer != "apt's settings in container images"] == layers


def test_no_archive_has_a_python_that_is_no_debians(task: Path) -> None:
    (task / "environment" / "Dockerfile").write_text("FROM python:3.12-alpine\n")
    found = HarborFolderDataset(task, build="archive")
    with pytest.raises(ImageError, match=r"Dockerfile: no archive has python:3.12-alpine; there are .*build=engine"):
        found.image(found[0], images.find("host"))


def test_an_engine_builds_the_folder_as_it_is(task: Path) -> None:
    (task / "environment" / "Dockerfile").write_text("FROM alpine:3\nUSER guest\n")
    found = HarborFolderDataset(task, build="engine")
    assert str(found.image(found[0], images.find("host")).layers[0]).endswith("environment/Dockerfile")


def test_an_unknown_way_to_build_is_refused(task: Path) -> None:
    with pytest.raises(UserError, match="host, archive, engine"):
        datasets.load(str(task), build="kaniko")


@pytest.mark.parametrize(
    ("lines", "agent", "verifier"),
    [
        ('schema_version = "1.4"', "allow", "allow"),
        ("[environment]\nallow_internet = false", "none", "none"),
        ("[environment]\nallow_internet = true", "allow", "allow"),
        ('[environment]\nnetwork_mode = "no-network"', "none", "none"),
        ('[environment]\nnetwork_mode = "no-network"\nallow_internet = true', "none", "none"),
        ('[environment]\nnetwork_mode = "no-network"\n[agent]\nnetwork_mode = "public"', "allow", "none"),
        ('[environment]\nnetwork_mode = "no-network"\n[verifier]\nnetwork_mode = "public"', "none", "allow"),
        ('[agent]\nnetwork_mode = "no-network"', "none", "allow"),
        (
            '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["PyPI.org.", "*.example.com"]\n'
            '[verifier]\nnetwork_mode = "allowlist"\nallowed_hosts = ["deb.debian.org"]',
            ("*.example.com", "pypi.org"),
            ("deb.debian.org",),
        ),
    ],
)
def test_agent_and_verifier_have_the_network_that_the_task_gives_them(
    task: Path, lines: str, agent: object, verifier: object
) -> None:
    """The verifier as in Harbor, unless the user says no; the agent where the user says yes."""
    (task / "task.toml").write_text(lines)
    usual = HarborFolderDataset(task)
    assert (usual.network(usual[0]), usual.verifier_network(usual[0])) == ("none", verifier)
    found = HarborFolderDataset(task, network=True, verifier_network=False)
    assert (found.network(found[0]), found.verifier_network(found[0])) == (agent, "none")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ('network_mode = "allowlist"\nallowed_hosts = ["10.0.0.1"]', "is no public address"),
        ('network_mode = "allowlist"\nallowed_hosts = ["169.254.169.254"]', "hand out credentials"),
        ('network_mode = "allowlist"\nallowed_hosts = ["1.1.1.0/24"]', "addresses are listed one by one"),
        ('network_mode = "allowlist"\nallowed_hosts = [7]', "expected"),
        ('network_mode = "mesh"', "expected no-network, public or allowlist"),
    ],
)
def test_a_network_that_no_file_may_ask_for_is_refused(task: Path, lines: str, says: str) -> None:
    (task / "task.toml").write_text(f"[environment]\n{lines}\n")
    with pytest.raises(BadDataError, match=f"environment.(network_mode|allowed_hosts): .*{says}"):
        HarborFolderDataset(task)
    with pytest.raises(UserError, match="true or false"):
        datasets.load(str(task), network="yes")


@pytest.mark.parametrize("name", ["instruction.md", "task.toml"])
def test_a_folder_that_lacks_a_part_of_a_task_says_which(task: Path, name: str) -> None:
    (task / name).unlink()
    with pytest.raises(BadDataError, match=f"like one task of Harbor's, but has no {name}"):
        datasets.load(str(task))


@pytest.mark.parametrize("name", ["tests/test.sh", "solution/solve.sh", "environment/Dockerfile"])
def test_line_ends_of_dos_are_named(task: Path, name: str) -> None:
    script = task / name
    script.write_bytes(script.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(BadDataError, match=f"{name} has the line ends of DOS.*sed -i"):
        datasets.load(str(task))


def test_paths_to_keep_are_those_of_the_task_and_of_the_option(task: Path) -> None:
    (task / "task.toml").write_text('[verifier]\nkeep = ["/etc/nginx/", "/usr/local/bin/x"]\n')
    found = datasets.load(str(task), keep="/etc/ssl, /root/.ssh")
    assert found.kept_paths(found[0]) == ("/etc/ssl", "/root/.ssh", "/etc/nginx", "/usr/local/bin/x")


@pytest.mark.parametrize("value", ['"etc"', "[1]", "3", '["/a", "b"]', "true"])
def test_what_is_no_list_of_absolute_paths_is_refused(task: Path, value: str) -> None:
    (task / "task.toml").write_text(f"[verifier]\nkeep = {value}\n")
    with pytest.raises(BadDataError, match=r"verifier\.keep: expected a list of absolute paths"):
        datasets.load(str(task))
    with pytest.raises(UserError, match="keep="):
        datasets.load(str(FOLDER), keep="etc")
