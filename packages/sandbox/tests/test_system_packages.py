"""What packages are called, and who installs them, on each family of distributions."""

from __future__ import annotations

import pytest

from intercode_sandbox.util import system_packages
from intercode_sandbox.util.system_packages import APT, MANAGERS, choose, install_command


@pytest.mark.parametrize(
    ("release", "program"),
    [
        ({"ID": "debian"}, "apt-get"),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "apt-get"),
        ({"ID": "fedora"}, "dnf"),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "dnf"),
        ({"ID": "manjaro", "ID_LIKE": "arch"}, "pacman"),
        ({"ID": "alpine"}, "apk"),
    ],
)
def test_a_distribution_is_known_by_its_name_or_its_parents(release: dict[str, str], program: str) -> None:
    found = choose(release)
    assert found is not None
    assert found.program == program


def test_of_an_unknown_distribution_the_programs_decide(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bin")
    monkeypatch.setenv("PATH", str(folder))
    assert choose({"ID": "own"}) is None
    (folder / "apk").write_text("#!/bin/sh\n")
    (folder / "apk").chmod(0o755)
    found = choose({})
    assert found is not None
    assert found.program == "apk"


def test_two_names_of_one_package_are_asked_for_once_and_one_name_may_be_two_packages() -> None:
    names = {manager.program: manager.command(["mariadb-server", "mariadb-server-core"]) for manager in MANAGERS}
    assert names["dnf"] == "dnf install mariadb-server"
    assert names["pacman"] == "pacman -S mariadb"
    apk = next(manager for manager in MANAGERS if manager.program == "apk")
    assert apk.command(["util-linux"], unattended=True) == "apk add --update-cache util-linux setpriv"


def test_a_package_that_is_nowhere_is_not_asked_for() -> None:
    for manager in MANAGERS:
        expected = "apt-get install mmdebstrap" if manager is APT else ""
        assert manager.command(["mmdebstrap"]) == expected


def test_a_message_says_how_to_become_root_where_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = system_packages.find()
    assert manager is not None, "tests run on distributions that are known"
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert install_command("git") == manager.command(["git"])
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert install_command("git") == f"{manager.become_root} {manager.command(['git'])}"
