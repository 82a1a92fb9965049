"""The paper's shell does what the published benchmark was seen to do, faults included."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from env.tiny import TinyDataset
from intercode.worlds.bash.paper_shell import PaperShell
from intercode_sandbox import images
from intercode_sandbox.sandbox import Sandbox, Session

DATASET = TinyDataset()
IMAGE = DATASET.image(DATASET[0], images.find("host"))
LOST = (
    "OCI runtime exec failed: exec failed: unable to start container process: "
    'chdir to cwd ("{}") set in config.json failed: no such file or directory: unknown\r\n'
)


@pytest.fixture
def session(sandbox: Sandbox) -> Iterator[Session]:
    with sandbox.start(IMAGE) as session:
        yield session


@pytest.fixture
def shell(session: Session) -> PaperShell:
    return PaperShell(session, seconds=10)


SEEN = {
    'echo "a b"': "a\n",
    'echo \\"a b\\"': "a b\n",
    'echo -e "a\\nb"': "anb\n",
    "echo 'a  b'": "a  b\n",
    "echo $HOME": "/root\n",
    "echo a\necho b": "a\nb\n",
    "  echo blanks around  ": "blanks around\n",
    "printf '\\377'": "Malformed command",
    'echo "a': "Malformed command",
    "echo a\\": "Malformed command",
    "echo a\0b": "Malformed command",
    "echo \ud800": "Malformed command",
    "cd": "Malformed command",
    "cat": "",
    "tty": "not a tty\n",
}


@pytest.mark.parametrize(("action", "text"), SEEN.items(), ids=SEEN)
def test_commands_are_quoted_as_published(shell: PaperShell, action: str, text: str) -> None:
    assert shell.run(action).text == text


def test_an_action_is_valid_if_it_ends_with_0(shell: PaperShell) -> None:
    """What was malformed has no exit code at all."""
    codes = [shell.run(action).exit_code for action in ("true", "exit 3", 'echo "')]
    assert codes == [0, 3, None]


def test_the_directory_follows_cd(shell: PaperShell) -> None:
    shell.run("cd shop")
    assert (shell.cwd, shell.run("cat b.txt").text) == ("/shop", "cherry\n")
    shell.run("cd deep/../deep")
    assert shell.cwd == "/shop/deep"
    shell.run("cd ..")
    assert (shell.cwd, shell.run("pwd").text) == ("/shop", "/shop\n")


def test_the_directory_follows_nothing_else(shell: PaperShell) -> None:
    for action in ("true; cd /shop", " cd /shop", "pushd /shop", "cd /nowhere", "cd ~", "cd -", "(cd /shop)"):
        shell.run(action)
        assert shell.cwd == "/"


def test_cd_with_more_behind_it_runs_and_poisons_the_directory(shell: PaperShell) -> None:
    """Until a `cd` to an absolute path heals it."""
    assert shell.run("cd /shop && cat b.txt").text == "cherry\n"
    assert shell.cwd == "/shop && cat b.txt"
    for _ in range(2):
        observation = shell.run("ls")
        assert (observation.text, observation.exit_code) == (LOST.format("/shop && cat b.txt"), 126)
    shell.run("cd /shop")
    assert shell.run("cat b.txt").text == "cherry\n"


def test_a_directory_that_was_removed_poisons_too(shell: PaperShell) -> None:
    for action in ("mkdir /gone", "cd /gone", "rmdir /gone"):
        shell.run(action)
    assert shell.run("ls").text == LOST.format("/gone")


def test_a_program_that_cannot_run_is_no_poison(shell: PaperShell) -> None:
    """126 of the command itself is not taken for a lost directory."""
    shell.run("cd /shop")
    observation = shell.run("./a.txt")
    assert (observation.text, observation.exit_code) == ("/bin/bash: line 1: ./a.txt: Permission denied\n", 126)


def test_output_is_lost_at_time_out(session: Session) -> None:
    observation = PaperShell(session, seconds=1.5).run("echo begun; sleep 60")
    assert (observation.text, observation.timed_out) == ("Command timed out", True)


def test_nothing_lives_on_but_files(shell: PaperShell) -> None:
    shell.run("x=5; echo $x > /shop/x")
    assert shell.run("echo $x; cat /shop/x").text == "\n5\n"


def test_an_action_that_is_too_long_is_the_runtimes_error(shell: PaperShell) -> None:
    assert "argument list too long" in shell.run("x" * 200_000).text
