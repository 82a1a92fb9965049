"""Simple Dockerfiles, read; and what is not simple, refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercode.datasets.harbor_tasks.dockerfile import Copy, MakeFolder, Run, read_dockerfile, split_apt
from intercode.errors import BadDataError


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
        Run("echo   hello", (), "/srv/other", {"NAME": "app", **found.env}),
    )


USUAL = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


@pytest.mark.parametrize(
    ("command", "left", "packages"),
    [
        ("apt-get update && apt-get install -y --no-install-recommends git tmux=3.3a-3", "", ("git", "tmux")),
        ("apt update; apt install -y jq; make all", "make all", ("jq",)),
        ("DEBIAN_FRONTEND=noninteractive apt-get install -qq -o Dpkg::Use-Pty=0 vim", "", ("vim",)),
        ("apt-get install -y curl && rm -rf /var/lib/apt/lists/*", "", ("curl",)),
        ("apt-get install -y curl | tee log", "apt-get install -y curl | tee log", ()),
        ("rm -rf /srv/x && apt-get clean", "rm -rf /srv/x", ()),
        ("echo apt-get install x", "echo apt-get install x", ()),
    ],
)
def test_packages_are_told_from_the_rest_of_a_command(command: str, left: str, packages: tuple[str, ...]) -> None:
    assert split_apt(command) == (left, packages)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("FROM alpine:3", 1, "FROM alpine:3"),
        ("FROM debian AS a\n\nFROM debian", 3, "second FROM"),
        ("FROM debian\nUSER me", 2, "USER is not understood"),
        ("FROM debian\nENTRYPOINT x", 2, "ENTRYPOINT"),
        ("FROM debian\nRUN --mount=type=cache true", 2, "RUN with options"),
        ("FROM debian\nRUN <<EOF\ntrue\nEOF", 2, "here-documents"),
        ("FROM debian\nCOPY --from=a /x /y", 2, "--from=a"),
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


def test_a_file_of_what_to_ignore_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".dockerignore").write_text("x\n")
    with pytest.raises(BadDataError, match=r"\.dockerignore"):
        read_dockerfile(written(tmp_path, "FROM debian\n"))
