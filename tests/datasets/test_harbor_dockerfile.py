"""Simple Dockerfiles, read; and what is not simple, refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercode.datasets.dockerfiles.apt_packages import split_apt, without_apt
from intercode.datasets.dockerfiles.dockerfile import read_dockerfile
from intercode.datasets.dockerfiles.image import simple_image
from intercode.datasets.dockerfiles.steps import Copy, MakeFolder, Run
from intercode.errors import BadDataError, ImageError
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.script_layer import ScriptLayer
from intercode_sandbox.network.hosts import ALLOW, NONE


def written(folder: Path, text: str) -> Path:
    (folder / "Dockerfile").write_text(text)
    return folder


def test_each_instruction_sees_what_those_before_it_have_set(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    found = read_dockerfile(
        written(
            tmp_path,
            '# syntax: a comment\nFROM debian:12-slim\nARG NAME=app\nENV A=1 \\\n  B="x y"\nENV PATH=/opt/bin:$PATH\n'
            "WORKDIR /srv/${NAME}\nCOPY a.txt sub/\nWORKDIR ../other\nRUN echo \\\n  hello\nCMD bash\n",
        )
    )
    assert (found.kind, found.tag, found.workdir) == ("debian", "12-slim", "/srv/other")
    assert found.env == {"A": "1", "B": "x y", "PATH": f"/opt/bin:{':'.join(USUAL)}"}
    assert found.steps == (
        MakeFolder("/srv/app"),
        Copy((tmp_path / "a.txt",), "/srv/app/sub/", None),
        MakeFolder("/srv/other"),
        Run("echo   hello", "/srv/other", {"NAME": "app", **found.env}, f"{tmp_path}/Dockerfile, line 10"),
    )


USUAL = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


SHELL_PROGRAMS = (
    "if true; then apt-get update && apt-get install -y git; fi",
    "for name in git jq; do apt-get install -y $name; done",
    "! apt-get install -y git",
    "(apt-get update && apt-get install -y git)",
    "apt-get install -y $(cat list)",
    "apt-get install -y $PACKAGES",
    "apt-get install -y lib*-dev",
    "apt-get upgrade -y",
    "apt-get remove -y git",
    "sleep 1 & apt-get update",
    "apt-get install -y git # and more; make",
    "make; make test",
)
"""Only the shell knows what they do: they stay as they are."""


@pytest.mark.parametrize(
    ("command", "left", "packages"),
    [
        ("apt-get update && apt-get install -y --no-install-recommends git tmux=3.3a-3", "", ("git", "tmux")),
        ("apt update; apt install -y jq; make all", "make all", ("jq",)),
        ("DEBIAN_FRONTEND=noninteractive apt-get install -qq -o Dpkg::Use-Pty=0 vim", "", ("vim",)),
        ("apt-get install -y curl && rm -rf /var/lib/apt/lists/*", "", ("curl",)),
        ("apt-get install -y curl | tee log", "apt-get install -y curl | tee log", ()),
        ("rm -rf /srv/x && apt-get clean", "rm -rf /srv/x", ()),
        ("set -e; apt-get update; apt-get install -y jq; make", "set -e ; : ; : ; make", ("jq",)),
        ("make; apt-get install -y jq && make test", "make ; : && make test", ("jq",)),
        ("make; apt-get install -y jq", "make ; :", ("jq",)),
        *((command, command, ()) for command in SHELL_PROGRAMS),
        ("echo apt-get install x", "echo apt-get install x", ()),
    ],
)
def test_packages_are_told_from_the_rest_of_a_command(command: str, left: str, packages: tuple[str, ...]) -> None:
    assert split_apt(command) == (left, packages)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("FROM alpine:3", 1, "FROM alpine:3"),
        ("FROM debian AS a\n\nFROM alpine", 3, "FROM alpine"),
        ("FROM debian\nUSER me\nRUN true", 2, "USER me comes last, and agents and verifiers are root here"),
        ("FROM debian\nENTRYPOINT x", 2, "ENTRYPOINT"),
        ("FROM debian\nRUN --mount=type=secret,id=key true", 2, "RUN with options"),
        ("FROM debian\nRUN true\nRUN <<EOF\ntrue\n", 3, "here-document EOF has no end"),
        ("FROM debian\nCOPY --from=a /x /y", 2, "COPY --from=a: there is no such stage"),
        ("FROM debian\nCOPY --from=alpine:3 /x /y", 2, "no image but ghcr.io/astral-sh/uv"),
        ("FROM debian\nSHELL bash", 2, "SHELL"),
        ("FROM debian\nCOPY nothing /y", 2, "there is no nothing"),
        ("FROM debian\nADD https://example.org/x /y", 2, "addresses"),
        ("FROM debian\nARG TOKEN", 2, "ARG TOKEN has no value"),
        ("FROM debian\nENV", 2, "NAME=VALUE"),
        ("FROM debian\nRUN [broken", 2, "RUN"),
        ("RUN true", 1, "RUN is not understood"),
        ("FROM debian\nFOUND x", 2, "FOUND is not understood"),
    ],
)
def test_what_is_not_simple_is_refused_with_its_line_and_the_way_out(
    tmp_path: Path, text: str, line: int, why: str
) -> None:
    with pytest.raises(BadDataError) as caught:
        read_dockerfile(written(tmp_path, text))
    assert f"Dockerfile, line {line}: " in str(caught.value)
    assert why in str(caught.value)
    assert "build=engine" in str(caught.value)


def test_nothing_outside_of_the_folder_is_copied(tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    folder.mkdir()
    (tmp_path / "secret").write_text("x")
    (folder / "link").symlink_to(tmp_path / "secret")
    for source in ("../secret", "link"):
        with pytest.raises(BadDataError, match="folder"):
            read_dockerfile(written(folder, f"FROM debian\nCOPY {source} /x\n"))


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ("*.log", {"a.txt", "sub/b.log", "sub/deep/c.txt"}),
        ("**/*.log", {"a.txt", "sub/deep/c.txt"}),
        ("# all but one\n*\n!a.txt", {"a.txt"}),
        ("sub", {"a.log", "a.txt"}),
        ("/sub/deep/", {"a.log", "a.txt", "sub/b.log"}),
        ("sub/d??p\na.[k-m]og", {"a.txt", "sub/b.log"}),
        ("sub\n!sub/deep/c.txt", {"a.log", "a.txt", "sub/deep/c.txt"}),
        ("[z-a]", {"a.log", "a.txt", "sub/b.log", "sub/deep/c.txt"}),
    ],
)
def test_what_is_to_be_ignored_is_not_copied(tmp_path: Path, patterns: str, left: set[str]) -> None:
    for name in ("a.log", "a.txt", "sub/b.log", "sub/deep/c.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / ".dockerignore").write_text(f"{patterns}\nDockerfile\n.dockerignore\n")
    recipe = read_dockerfile(written(tmp_path, "FROM debian\nCOPY . /all/\n"))
    layer = simple_image(recipe, images.find("host"), "host", "mine").layers[-1]
    assert isinstance(layer, FilesLayer)
    assert {path.removeprefix("/all/") for path in layer.files} == left


def test_a_list_in_json_is_a_command_and_brackets_of_the_shell_are_not(tmp_path: Path) -> None:
    text = 'FROM debian\nRUN ["apt-get", "install", "-y", "git"]\nRUN ["echo", "a b"]\nRUN [ -e /x ] || touch /x\n'
    (tmp_path / "Dockerfile").write_text(text)
    steps, packages = without_apt(read_dockerfile(tmp_path).steps)
    assert [step.command for step in steps if isinstance(step, Run)] == ["", "echo 'a b'", "[ -e /x ] || touch /x"]
    assert packages == ("git",)


def test_lines_go_on_with_the_sign_that_a_directive_names(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("# syntax=docker/dockerfile:1\n# escape=`\nFROM debian\nRUN mkdir `\n  /APP\n")
    (run,) = read_dockerfile(tmp_path).steps
    assert isinstance(run, Run)
    assert run.command.split() == ["mkdir", "/APP"]


@pytest.mark.parametrize(
    ("command", "cause"),
    [
        ("(apt-get update && apt-get install -y git)", "without a network, so apt can do nothing"),
        ("apt-get remove -y git", "without a network, so apt can do nothing"),
        ("pip install --no-cache-dir -r requirements.txt", "without a network, from which pip install would fetch"),
        ("python3 -m pip install x", "without a network, from which pip install would fetch"),
        ("curl -fsSL https://example.org/x", "without a network, from which curl would fetch"),
        ("false", "RUN false (without a network)"),
    ],
)
def test_a_command_that_fails_names_file_line_and_the_missing_network(tmp_path: Path, command: str, cause: str) -> None:
    (tmp_path / "Dockerfile").write_text(f"FROM debian\n\nRUN {command}\n")
    image = simple_image(read_dockerfile(tmp_path), images.find("host"), "host", "mine")
    title = str(image.layers[-1])
    assert title.startswith(f"{tmp_path}/Dockerfile, line 3: RUN {command}")
    assert cause in title


def scripts(image: Image) -> list[ScriptLayer]:
    return [layer for layer in image.layers if isinstance(layer, ScriptLayer)]


@pytest.mark.parametrize("base", ["debian:12", "ubuntu:24.04", "python:3.13-slim-bookworm"])
def test_from_an_archive_commands_are_run_as_they_are_written_on_a_base_that_all_share(
    tmp_path: Path, base: str
) -> None:
    made = []
    for number, package in enumerate(["git=1:2.39.5-0+deb12u2", "jq"]):
        folder = tmp_path / str(number)
        folder.mkdir()
        recipe = read_dockerfile(written(folder, f"FROM {base}\nRUN apt-get update && apt-get install -y {package}\n"))
        made.append(simple_image(recipe, images.find("host"), "archive", "mine"))
        (script,) = scripts(made[-1])
        assert f"apt-get update && apt-get install -y {package}" in str(script.script)
        assert script.network == ALLOW
    first, second = ([layer.key for layer in image.layers if not isinstance(layer, ScriptLayer)] for image in made)
    assert first == second


def test_with_hosts_for_the_build_commands_reach_these_alone(tmp_path: Path) -> None:
    recipe = read_dockerfile(written(tmp_path, "FROM debian:12\nRUN pip install x\n"))
    (script,) = scripts(simple_image(recipe, images.find("host"), "archive", "mine", network=("pypi.org",)))
    assert script.network == ("pypi.org",)


def test_from_an_archive_without_a_network_packages_are_refused_with_the_way_out(tmp_path: Path) -> None:
    recipe = read_dockerfile(written(tmp_path, "FROM debian:12\nRUN apt-get install -y git jq\n"))
    with pytest.raises(ImageError, match=r"Dockerfile installs git, jq, and .* no network: .*build_network=allow"):
        simple_image(recipe, images.find("host"), "archive", "mine", network=NONE)


def test_on_this_machines_programs_packages_are_never_installed(tmp_path: Path) -> None:
    recipe = read_dockerfile(written(tmp_path, "FROM debian:12\nRUN apt-get install -y bash && true\n"))
    image = simple_image(recipe, images.find("host"), "host", "mine", network=ALLOW)
    assert not [script for script in scripts(image) if "apt-get" in str(script.script)]


STAGES = r"""
FROM debian:12 AS made
ARG WHO=world
WORKDIR /made
RUN <<EOF
printf 'hello %s\n' "$WHO" > greeting
mkdir -p tree/deep && ln -s ../greeting tree/link && echo x > tree/deep/x && chmod 700 tree/deep/x
EOF
COPY <<-"END" plain.txt
	no $VARIABLE is replaced
	END
FROM made AS more
SHELL ["/bin/bash", "-c"]
RUN --mount=type=cache,target=/cache [[ $BASH_VERSION ]] && echo bash > shell
USER 65534:65534
RUN id -u > /tmp/user
USER root
RUN <<EOF
#!/usr/bin/env python3
open("/made/python", "w").write("yes\n")
EOF
RUN cat > document <<EOF
in $PWD
EOF
FROM debian:12
COPY --from=made /made/greeting /srv/
COPY --from=more /made/tree /srv/tree
COPY --from=1 /made/shell /made/python /made/document /tmp/user /srv/more/
COPY --from=made /made/plain.txt /srv/renamed
WORKDIR /srv
"""


def test_stages_and_here_documents_are_built_as_docker_does(tmp_path: Path) -> None:
    recipe = read_dockerfile(written(tmp_path, STAGES))
    image = simple_image(recipe, images.find("host"), "host", "mine")
    with EmbeddedSandbox(ahead=0) as sandbox, sandbox.start(image) as session:
        command = "cd /srv && cat greeting renamed more/* tree/deep/x && readlink tree/link && stat -c %a tree/deep/x"
        assert session.run(["/bin/sh", "-c", command]).text.splitlines() == [
            "hello world",
            "no $VARIABLE is replaced",
            "in /made",
            "yes",
            "bash",
            "65534",
            "x",
            "../greeting",
            "700",
        ]
        assert session.run(["/bin/sh", "-c", "ls -d /made /.gathered"]).exit_code == 2


def test_a_path_that_a_stage_lacks_is_named(tmp_path: Path) -> None:
    recipe = read_dockerfile(written(tmp_path, "FROM debian AS a\nFROM debian\nCOPY --from=a /nothing /x\n"))
    image = simple_image(recipe, images.find("host"), "host", "mine")
    with EmbeddedSandbox(ahead=0) as sandbox, pytest.raises(ImageError, match="/nothing"):
        sandbox.start(image)


def test_arguments_have_the_scope_and_the_defaults_that_docker_gives_them(tmp_path: Path) -> None:
    uses = "ENV A=${RELEASE} B=${NONE:-b} C=${RELEASE:+c} D=${NONE:+d}"
    text = f"ARG RELEASE=12\nFROM debian:${{RELEASE}}-slim\nARG RELEASE\n{uses}\n"
    found = read_dockerfile(written(tmp_path, text))
    assert (found.tag, found.env) == ("12-slim", {"A": "12", "B": "b", "C": "c", "D": ""})


def test_an_image_that_only_names_a_distribution_is_that(tmp_path: Path) -> None:
    text = "FROM ghcr.io/laude-institute/t-bench/ubuntu-24-04:20250624\n"
    assert read_dockerfile(written(tmp_path, text)).kind == "ubuntu"


def test_what_is_copied_to_a_link_of_the_base_comes_to_lie_behind_it(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    text = "FROM debian AS a\nFROM debian\nCOPY tool /bin/\nCOPY --from=a /etc/hosts /lib/x/\nCOPY tool /binary/\n"
    targets = [getattr(step, "target", "") for step in read_dockerfile(written(tmp_path, text)).steps]
    assert targets == ["/usr/bin/", "/usr/lib/x/", "/binary/"]
