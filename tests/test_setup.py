"""`scripts/setup.sh` on machines that lack something: root has it installed, an ordinary user is told what to install.

Other distributions are played by their `os-release` and a package manager that only writes down what it is asked for.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bare_path import path_without

REPOSITORY = Path(__file__).parents[1]

RELEASES = {
    "debian": 'ID=debian\nVERSION_CODENAME=bookworm\nNAME="Debian GNU/Linux"\n',
    "ubuntu": "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=jammy\nNAME=Ubuntu\n",
    "fedora": 'ID=fedora\nVERSION_ID=42\nNAME="Fedora Linux"\n',
    "arch": 'ID=arch\nNAME="Arch Linux"\n',
    "alpine": 'ID=alpine\nVERSION_ID=3.22.0\nNAME="Alpine Linux"\n',
    "other": "ID=plan9\n",
}
PROGRAMS = ("bwrap", "newuidmap", "mmdebstrap", "my_print_defaults")


def set_up(
    distribution: str, tmp_path: Path, *, lacking: tuple[str, ...], user: int, tests: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run the script as *user* where those programs are missing. Package managers write `asked` below *tmp_path*."""
    release = tmp_path / "os-release"
    release.write_text(RELEASES[distribution])
    managers = ("apt-get", "dnf", "pacman", "apk")
    with path_without("sudo", "doas", "id", *managers, *lacking) as folder:
        programs = {name: f'echo "{name} $*" >>{tmp_path}/asked' for name in managers if distribution != "other"}
        for name, line in {"id": f"echo {user}", **programs}.items():
            (folder / name).write_text(f"#!/bin/sh\n{line}\n")
            (folder / name).chmod(0o755)
        namespace = ["--dev-bind", "/", "/", "--ro-bind", str(release), "/usr/lib/os-release"]
        script = ["scripts/setup.sh", sys.executable, *(["tests"] if tests else [])]
        return subprocess.run(
            ["bwrap", *namespace, "--setenv", "PATH", str(folder), *script],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
        )


def complaint(tmp_path: Path, *lacking: str, tests: bool, distribution: str = "debian") -> str:
    """What the script tells an ordinary user without sudo, where those programs are missing."""
    done = set_up(distribution, tmp_path, lacking=lacking, user=1000, tests=tests)
    assert done.returncode == (1 if done.stderr else 0)
    return done.stderr


@pytest.mark.parametrize(
    ("program", "package"),
    [("my_print_defaults", "mariadb-client-core"), ("openssl", "openssl"), ("bwrap", "bubblewrap")],
)
def test_a_missing_program_is_asked_for_by_its_package(program: str, package: str, tmp_path: Path) -> None:
    assert f" {package}" in complaint(tmp_path, program, tests=True)
    assert complaint(tmp_path, program, tests=True).startswith("Please run: sudo apt-get install ")


def test_what_only_tests_need_is_not_asked_for_before(tmp_path: Path) -> None:
    assert complaint(tmp_path, "my_print_defaults", "openssl", tests=False) == ""


@pytest.mark.parametrize(
    ("distribution", "line"),
    [
        (
            "debian",
            "sudo apt-get install -y --no-install-recommends bubblewrap uidmap mmdebstrap mariadb-client-core",
        ),
        (
            "ubuntu",
            "sudo apt-get install -y --no-install-recommends bubblewrap uidmap mmdebstrap mariadb-client-core-10.6",
        ),
        ("fedora", "sudo dnf install -y --setopt=install_weak_deps=False bubblewrap shadow-utils mariadb"),
        ("arch", "sudo pacman -S --needed --noconfirm bubblewrap shadow mariadb-clients"),
        ("alpine", "doas apk add --update-cache bubblewrap shadow-subids mariadb-client"),
    ],
)
def test_each_distribution_is_asked_by_its_own_manager_and_names(distribution: str, line: str, tmp_path: Path) -> None:
    """Whatever other managers there are: Fedora and Arch have a package of apt."""
    assert complaint(tmp_path, *PROGRAMS, tests=True, distribution=distribution) == f"Please run: {line}\n"
    assert not (tmp_path / "asked").exists()


def test_where_no_manager_is_known_the_packages_are_named(tmp_path: Path) -> None:
    assert complaint(tmp_path, "bwrap", tests=False, distribution="other") == (
        "Please install, by your distribution's means: bubblewrap\n"
    )


def test_what_a_distribution_has_no_package_of_stops_nobody(tmp_path: Path) -> None:
    """`intercode doctor` says what its lack costs."""
    assert complaint(tmp_path, "mmdebstrap", tests=False, distribution="arch") == ""


@pytest.mark.parametrize(
    ("distribution", "asked"),
    [
        ("debian", "apt-get update -q\napt-get install -y --no-install-recommends bubblewrap\n"),
        ("fedora", "dnf install -y --setopt=install_weak_deps=False bubblewrap\n"),
        ("arch", "pacman -S --needed --noconfirm bubblewrap\n"),
        ("alpine", "apk add --update-cache bubblewrap\n"),
    ],
)
def test_root_has_it_installed(distribution: str, asked: str, tmp_path: Path) -> None:
    done = set_up(distribution, tmp_path, lacking=("bwrap",), user=0)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "asked").read_text() == asked
