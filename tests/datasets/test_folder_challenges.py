"""Challenges of one's own, in a folder: as `intercode new --world ctf` makes them and as people break them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from intercode import datasets
from intercode.cli.new import template_of
from intercode.datasets.base import Dataset
from intercode.datasets.challenges import Challenge
from intercode.errors import BadDataError, UserError
from intercode.types import Action
from intercode.worlds.ctf import CtfEnv
from intercode_sandbox.sandbox import Sandbox

POLITE = """python3 -c '
import socket
butler = socket.create_connection(("butler", 4000))
butler.sendall(b"please\\n")
print(butler.makefile().read().split()[-1])
'"""

SOLUTIONS = {
    "letter": "tr A-Za-z N-ZA-Mn-za-m < letter.txt | grep -o 'flag{.*}'",
    "butler": POLITE,
    "drawer": "base64 -d drawer.b64",
}
"""How the template's tasks are solved in the sandbox."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The template, to be changed."""
    return Path(shutil.copytree(template_of("ctf"), tmp_path / "manor"))


def rewritten(folder: Path, **columns: object) -> Dataset:
    """The folder with one task, as *columns* say it."""
    (folder / "tasks.jsonl").write_text(json.dumps({"id": "letter", "query": "Read it.", **columns}))
    shutil.rmtree(folder / "task_assets" / "drawer")
    return datasets.load(str(folder))


def challenge(folder: Path, name: str, seed: int = 1) -> Challenge:
    dataset = datasets.load(str(folder))
    return dataset.challenge(dataset.find(name), seed)


@pytest.mark.parametrize("name", SOLUTIONS)
def test_the_templates_tasks_are_solved_in_the_sandbox(folder: Path, sandbox: Sandbox, name: str) -> None:
    """And the flag stands nowhere in it beforehand."""
    with CtfEnv(datasets.load(str(folder)), sandbox=sandbox) as env:
        env.reset(seed=3, options={"task": name})
        flag = env.task.gold or ""
        assert flag.startswith("flag{")
        found = env.current_session.run(
            ["grep", "-rlsF", "-e", flag, "-e", "{{FLAG}}", "/ctf", "/etc", "/tmp", "/srv", "/root"]
        )
        assert found.output == b""
        seen = env.take_action(Action("execute", SOLUTIONS[name])).observation.text
        assert (seen.strip(), env.take_action(Action("submit", seen.strip())).reward) == (flag, 1.0)


def test_flags_come_from_the_seed_and_are_in_their_places(folder: Path) -> None:
    one, again, other = (challenge(folder, "letter", seed) for seed in (1, 1, 2))
    assert one == again
    assert one.flag != other.flag
    assert one.flag is not None
    assert one.files["plain.txt"] == f"Dear heir,\n\nthe word is {one.flag}\n".encode()


def test_a_gold_is_the_flag_whatever_the_seed(folder: Path) -> None:
    assert challenge(folder, "drawer", 1) == challenge(folder, "drawer", 2)
    assert challenge(folder, "drawer").flag == "flag{the_third_drawer_from_below}"


def test_a_gold_takes_the_place_in_files_too(folder: Path) -> None:
    dataset = rewritten(folder, gold="flag{fixed}")
    assert b"the word is flag{fixed}\n" in dataset.challenge(dataset[0], 9).files["plain.txt"]


def test_a_services_files_are_its_own_and_hold_the_flag(folder: Path) -> None:
    made = challenge(folder, "butler")
    assert made.files == {}
    assert made.service is not None
    assert (made.service.name, made.service.port, made.service.mode) == ("butler", 4000, "connections")
    assert made.service.files["flag.txt"] == f"{made.flag}\n".encode()
    assert set(made.service.files) == {"flag.txt", "butler.py"}, "and not service.toml"


def test_what_python_keeps_beside_a_services_files_is_none_of_them(folder: Path) -> None:
    kept = folder / "services" / "butler" / "__pycache__" / "butler.pyc"
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(b"made when somebody tried the service")
    made = challenge(folder, "butler")
    assert made.service is not None
    assert set(made.service.files) == {"flag.txt", "butler.py"}


def test_files_in_folders_and_programs_come_as_they_are(folder: Path) -> None:
    (folder / "task_assets/letter/bin").mkdir()
    (folder / "task_assets/letter/bin/show").write_bytes(b"#!/bin/sh\necho \xff{{FLAG}}\n")
    (folder / "task_assets/letter/bin/show").chmod(0o755)
    made = challenge(folder, "letter")
    assert made.flag is not None
    assert made.files["bin/show"] == b"#!/bin/sh\necho \xff" + made.flag.encode() + b"\n"
    assert made.programs == {"bin/show"}


def test_one_line_is_enough(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text('world = "ctf"\n')
    (tmp_path / "tasks.csv").write_text("query,gold\nWhat is 6 times 7?,flag{42}\n")
    dataset = datasets.load(str(tmp_path))
    assert dataset.challenge(dataset[0], 1) == Challenge("flag{42}")


@pytest.mark.parametrize(
    "changed",
    ["task_assets/letter/plain.txt", "services/butler/butler.py", "services/butler/service.toml"],
)
def test_the_checksum_is_of_all_that_challenges_are_made_of(folder: Path, changed: str) -> None:
    before = datasets.load(str(folder)).checksum
    with (folder / changed).open("a") as file:
        file.write("\nmode = 'server'\n" if changed.endswith("toml") else "\n# more\n")
    assert datasets.load(str(folder)).checksum != before


def test_the_checksum_tells_what_may_be_executed(folder: Path) -> None:
    before = datasets.load(str(folder)).checksum
    (folder / "task_assets/letter/plain.txt").chmod(0o755)
    assert datasets.load(str(folder)).checksum != before


def test_other_worlds_folders_have_no_challenges(tmp_path: Path) -> None:
    dataset = datasets.load(str(shutil.copytree(template_of("bash"), tmp_path / "pantry")))
    with pytest.raises(UserError, match="pantry has no flags"):
        dataset.challenge(dataset[0], 1)


def test_a_flag_that_is_nowhere_is_refused(folder: Path) -> None:
    (folder / "task_assets/letter/plain.txt").write_text("nothing here\n")
    with pytest.raises(BadDataError, match=r"manor/letter has no gold, and {{FLAG}} is in none of its files"):
        datasets.load(str(folder))


def test_files_of_no_task_are_refused(folder: Path) -> None:
    (folder / "task_assets/leter").mkdir()
    with pytest.raises(BadDataError, match=r"task_assets/leter belongs to no task; there are: butler, drawer, letter"):
        datasets.load(str(folder))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"service": "cook"}, r"manor/letter: no service is called 'cook': services/ has butler"),
        ({"service": 3}, r"manor/letter, field 'service': expected a string, not a number"),
        ({"setup": ["ls"]}, r"manor/letter, field 'setup': expected a string, not a list"),
    ],
)
def test_a_task_that_asks_for_what_cannot_be_is_named(folder: Path, columns: dict[str, object], message: str) -> None:
    with pytest.raises(BadDataError, match=message):
        rewritten(folder, **columns)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("port = ", "service.toml is not TOML"),
        ('command = ["python3"]', r"service.toml, port: expected a number, not None"),
        ('port = "x"\ncommand = ["python3"]', r"port: expected a number, not 'x'"),
        ('port = true\ncommand = ["python3"]', r"port: expected a number, not True"),
        ('port = 70000\ncommand = ["python3"]', r"service.toml: the service butler cannot listen on port 70000"),
        ("port = 4000", r"command: expected a list of strings"),
        ("port = 4000\ncommand = []", r"command: expected a list of strings"),
        ('port = 4000\ncommand = "python3 butler.py"', r"command: expected a list of strings"),
        ('port = 4000\ncommand = ["x"]\nmode = "both"', r"service.toml: the service butler is for `connections` or"),
        ('port = 4000\ncommand = ["x"]\nspeed = 3', r"no key is called 'speed'; there are: port, command, mode"),
    ],
)
def test_a_service_that_cannot_be_is_named_with_its_file(folder: Path, text: str, message: str) -> None:
    (folder / "services/butler/service.toml").write_text(text)
    with pytest.raises(BadDataError, match=message):
        datasets.load(str(folder))


def test_a_service_without_its_file_is_named(folder: Path) -> None:
    (folder / "services/butler/service.toml").unlink()
    with pytest.raises(BadDataError, match=r"services/butler/service\.toml: there is no such file"):
        datasets.load(str(folder))


def test_links_are_refused(folder: Path) -> None:
    """They would be this machine's files, or nothing."""
    (folder / "task_assets/letter/link").symlink_to("/etc/shadow")
    with pytest.raises(BadDataError, match="task_assets/letter/link is neither a file nor a folder"):
        datasets.load(str(folder))


def test_too_much_of_it_is_refused(folder: Path) -> None:
    with (folder / "task_assets/letter/image").open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(BadDataError, match="over 64 MB: put large files into an image"):
        datasets.load(str(folder))
