"""What tests need, by repository and version."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercode.datasets.repositories import TestSuite
from intercode.datasets.repositories.environments import Environments
from intercode.errors import BadDataError


def environments(folder: Path, text: str) -> Environments:
    path = folder / "environments.toml"
    path.write_text(text)
    return Environments(path)


def test_versions_say_what_is_otherwise(tmp_path: Path) -> None:
    (tmp_path / "old.sh").write_text("touch /opt/old\n")
    (tmp_path / "root.tar").touch()
    found = environments(
        tmp_path,
        """
        ["demo/calc"]
        runner = "unittest"
        seconds = 30
        install = "true"
        ["demo/calc".versions."1.0"]
        setup = "old.sh"
        image = "root.tar"
        path = ["src"]
        """,
    )
    old, new = found.find("demo/calc", "1.0"), found.find("demo/calc", "2.0")
    assert (old.setup, old.install, old.image) == ("touch /opt/old\n", "true", str(tmp_path / "root.tar"))
    assert old.suite == TestSuite("unittest", seconds=30, path=("src",))
    assert (new.setup, new.install, new.suite) == ("", "true", TestSuite("unittest", seconds=30))


def test_an_image_by_name_and_a_network_are_a_recipe(tmp_path: Path) -> None:
    found = environments(tmp_path, '["a/b"]\nimage = "python:3.12-slim"\nnetwork = ["pypi.org"]\n["c/d"]\n')
    assert found.find("a/b", "").image == "python:3.12-slim"
    assert found.find("a/b", "").network == ("pypi.org",)
    assert found.find("c/d", "").network == "none"


def test_without_a_word_it_is_pytest_and_django_is_known(tmp_path: Path) -> None:
    for found in (Environments(None), environments(tmp_path, "")):
        assert found.find("demo/calc", "1.0").suite == TestSuite()
        assert found.find("django/django", "3.0").suite.script == "tests/runtests.py"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = ", "is not TOML"),
        ("x = 1", "a table for each repository"),
        ('["a/b"]\nrunner = "nose"', "runner cannot be 'nose'"),
        ('["a/b"]\nseconds = "long"', "seconds cannot be 'long'"),
        ('["a/b"]\ncolour = "red"', "no use for colour; it takes: arguments, controls, env, image"),
        ('["a/b"]\nsetup = "nothing.sh"', "nothing.sh cannot be read"),
        ('["a/b"]\nnetwork = ["10.0.0.1"]', "network: 10.0.0.1 is no public address"),
        ('["a/b"]\nnetwork = 1', "network should be none, allow, or hosts"),
        ('["a/b"]\npytest = "yes"', "pytest should be true or false"),
        ('["a/b".versions]\nx = 3', "a table for each repository"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadDataError, match=said):
        environments(tmp_path, text)
    with pytest.raises(BadDataError, match="cannot be read"):
        Environments(tmp_path / "nothing.toml")
