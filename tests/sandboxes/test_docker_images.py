"""Images of containers in both sandboxes: a Dockerfile, and an image by its digest."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_root

from intercode import datasets
from intercode.errors import ImageError, SandboxError, UnknownNameError
from intercode.types import Action
from intercode.worlds.bash import BashEnv
from intercode_sandbox import images
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.docker.engine import Engine, connect
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images.builders import builder
from intercode_sandbox.sandbox import Sandbox

BASE = "intercode-tests/base:1"

PUBLISHED_BASH = f"""\
FROM {BASE}
ENV file_system_version=1
ENV script=setup_nl2b_fs_${{file_system_version}}.sh
COPY docker/bash_scripts/$script /
RUN chmod +x /$script
RUN /$script
COPY docker/docker.gitignore /
RUN mv docker.gitignore .gitignore
RUN git config --global user.email "intercode@example.org"
RUN git config --global user.name "intercode"
RUN git init
RUN git add -A
RUN git commit -m 'initial commit'
WORKDIR /
"""
PUBLISHED_CTF = f"""\
FROM {BASE}
COPY data/ctf/task_assets/. /ctf/
RUN find /ctf/ -type d -name solution -prune -exec rm -rf {{}} \\;
WORKDIR /ctf
"""
SCRIPT = "#!/bin/bash\nmkdir -p /testbed/dir1\necho hello > /testbed/dir1/a.txt\n"
IGNORED = "bin\ndev\netc\nlib\nlib64\nproc\nroot\nsbin\nsys\nusr\nvar\n.dockerenv\n"


@pytest.fixture(scope="module")
def engine(docker_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that has the base image; programs find it by DOCKER_HOST. What is built is not kept for the user."""
    engine = connect(docker_url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", docker_url)
        patch.setenv("INTERCODE_CACHE", str(tmp_path_factory.mktemp("cache")))
        engine.load(BASE, [small_root.archive()], {"purpose": "tests"})
        yield engine
    engine.remove_image(BASE, force=True)
    engine.close()


@pytest.fixture(scope="module", params=["docker", "embedded"])
def sandbox(request: pytest.FixtureRequest, engine: Engine) -> Iterator[Sandbox]:
    if request.param == "docker":
        with DockerSandbox(engine=engine.url, ahead=0) as sandbox:
            yield sandbox
        return
    try:
        builder()
    except ImageError as reason:
        pytest.skip(str(reason))
    with EmbeddedSandbox() as embedded:
        yield embedded


@pytest.fixture(scope="module")
def bash_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The structure of the published Bash image's build."""
    return write(
        tmp_path_factory.mktemp("bash"),
        {
            "Dockerfile": PUBLISHED_BASH,
            "docker/bash_scripts/setup_nl2b_fs_1.sh": SCRIPT,
            "docker/docker.gitignore": IGNORED,
        },
    )


@pytest.fixture(scope="module")
def ctf_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The structure of the published CTF image's build."""
    files = {"1/flag.txt": "flag\n", "1/solution/answer.txt": "no"}
    assets = {f"data/ctf/task_assets/{path}": text for path, text in files.items()}
    return write(tmp_path_factory.mktemp("ctf"), {"Dockerfile": PUBLISHED_CTF, **assets})


def write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_the_published_bash_images_structure_builds_and_runs(sandbox: Sandbox, bash_folder: Path) -> None:
    with sandbox.start(images.find(str(bash_folder))) as session:
        assert session.read("/testbed/dir1/a.txt") == b"hello\n"
        assert session.run(
            ["/bin/bash", "-c", "git -C / log --format=%s; git --no-optional-locks -C / status --short"]
        ).text == ("initial commit\n")
        assert session.image.env["script"] == "setup_nl2b_fs_1.sh"
        assert session.run(["/bin/bash", "-c", "echo $script $HOME"]).text == "setup_nl2b_fs_1.sh /root\n"
        assert session.changes() == []
        session.run(["/bin/bash", "-c", "echo x > /testbed/new; rm /testbed/dir1/a.txt"])
        assert [change.path for change in session.changes()] == ["/testbed/dir1/a.txt", "/testbed/new"]


def test_a_shell_begins_where_the_image_says(sandbox: Sandbox, ctf_folder: Path) -> None:
    with BashEnv("starter", sandbox=sandbox, image=str(ctf_folder)) as env:
        env.reset(options={"task": 0})
        assert env.step("pwd; ls; cat 1/*")[0] == "/ctf\n1\nflag\n"
        assert env.step("cd 1; pwd")[0] == "/ctf/1\n"


def test_a_task_folder_of_ones_own_is_built_played_and_scored(sandbox: Sandbox, tmp_path: Path) -> None:
    """All three files, with what lies in `files/` on top of what the Dockerfile makes, and the limits it names."""
    write(
        tmp_path,
        {
            "Dockerfile": f"FROM {BASE}\nWORKDIR /pantry\nRUN touch salt\nCOPY shelf.txt /pantry/\n",
            ".dockerignore": "tasks.jsonl\ntask.toml\n",
            "shelf.txt": "flour\nrice\n",
            "files/pantry/more.txt": "sugar\n",
            "task.toml": 'world = "bash"\n[limits]\nseconds = 7\n',
            "tasks.jsonl": '{"query": "List all that is there.", "gold": "sort shelf.txt more.txt"}\n'
            '{"query": "Throw the salt away.", "gold": "rm salt"}\n',
        },
    )
    dataset = datasets.load(str(tmp_path))
    with BashEnv(dataset, sandbox=sandbox) as env:
        for task, action in ((0, "cat more.txt shelf.txt | sort"), (1, "rm /pantry/salt")):
            env.start_episode(dataset[task])
            assert (env.cwd, env.current_session.limits.seconds) == ("/pantry", 7)
            env.take_action(Action("execute", action))
            assert env.take_action(Action("submit")).reward == 1
        env.start_episode(dataset[1])
        assert env.take_action(Action("submit")).reward == 0
        seen = env.current_session.run(
            ["find", "/", "-xdev", "-name", "task*.toml", "-o", "-xdev", "-name", "tasks.jsonl"]
        ).text
        assert seen == "", "golds are nowhere in it"


def test_an_image_is_used_by_its_digest(sandbox: Sandbox, engine: Engine) -> None:
    digest = engine.image(BASE)["Id"]
    image = images.find(f"docker:{digest}")
    with sandbox.start(image) as session, session.snapshot() as snapshot:
        assert session.run(["/bin/bash", "-c", "cat /etc/hostname; wc -c < /etc/resolv.conf"]).text == "intercode\n0\n"
        with sandbox.start(image, snapshot=snapshot) as branch:
            assert branch.run(["/bin/cat", "/etc/group"]).text == "root:x:0:\n"


def test_an_id_that_no_image_has_is_asked_of_no_registry(sandbox: Sandbox) -> None:
    with pytest.raises(ImageError, match=r"has no image with the id sha256:0{64}.*docker images"):
        sandbox.start(images.find(f"docker:sha256:{'0' * 64}"))


def test_an_image_that_cannot_be_fetched_is_told_with_the_reason(sandbox: Sandbox) -> None:
    name = f"127.0.0.1:1/none@sha256:{'0' * 64}"
    with pytest.raises((ImageError, SandboxError), match=r"(?s)pulling 127.0.0.1:1/none@.*(refused|unreachable)"):
        sandbox.start(images.find(f"docker:{name}"))


def test_both_sandboxes_name_the_image_alike(bash_folder: Path) -> None:
    """By the content of the folder: a change anywhere in it makes another image."""
    before = images.find(str(bash_folder)).digest
    assert images.find(str(bash_folder / "Dockerfile")).digest == before
    other = write(bash_folder, {"docker/extra": "x"})
    assert images.find(str(other)).digest != before
    (bash_folder / "docker" / "extra").unlink()
    assert images.find(str(bash_folder)).digest == before


@pytest.mark.parametrize(("base", "pinned"), [("ubuntu:22.04", False), (f"ubuntu@sha256:{'a' * 64}", True)])
def test_only_bases_with_a_digest_are_the_same_everywhere(tmp_path: Path, base: str, pinned: bool) -> None:
    image = images.find(str(write(tmp_path, {"Dockerfile": f"FROM {base} AS first\nFROM first\n"})))
    assert image.reproducible is pinned


def test_a_name_without_a_digest_is_refused_with_the_way_out() -> None:
    with pytest.raises(UnknownNameError, match=r"docker:ubuntu:22.04 has no digest .*@sha256:… .*docker image inspect"):
        images.find("docker:ubuntu:22.04")


def test_a_dockerfile_that_fails_is_told_with_its_last_words(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = write(tmp_path, {"Dockerfile": f"FROM {BASE}\nRUN echo about to fail && exit 3\n"})
    with pytest.raises((ImageError, SandboxError), match=r"(?s)about to fail.*3"):
        sandbox.start(images.find(str(folder)))


def test_volumes_are_refused_where_they_would_hide_changes(engine: Engine, tmp_path: Path) -> None:
    folder = write(tmp_path, {"Dockerfile": f"FROM {BASE}\nVOLUME /data\n"})
    with (
        DockerSandbox(engine=engine.url, ahead=0) as sandbox,
        pytest.raises(SandboxError, match=r"declares volumes .*/data.*--sandbox embedded"),
    ):
        sandbox.start(images.find(str(folder)))


def test_a_machine_without_builders_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    with pytest.raises(ImageError, match=r"docker, podman or buildah .*install podman"):
        builder()
