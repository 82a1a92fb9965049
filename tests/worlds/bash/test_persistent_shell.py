"""The persistent shell: one Bash that stays, and says what became of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from env.tiny import TinyDataset
from intercode.errors import UserError
from intercode.worlds.bash import BashEnv
from intercode.worlds.bash.persistent_shell import PersistentShell
from intercode_sandbox import images
from intercode_sandbox.docker.by_exec import DockerExecSandbox
from intercode_sandbox.sandbox import Limits, Sandbox, Session

DATASET = TinyDataset()
IMAGE = DATASET.image(DATASET[0], images.find("host"))


@pytest.fixture
def session(sandbox: Sandbox) -> Iterator[Session]:
    with sandbox.start(IMAGE, limits=Limits(output=1000)) as session:
        yield session


@pytest.fixture
def shell(session: Session) -> Iterator[PersistentShell]:
    shell = PersistentShell(session, seconds=30)
    yield shell
    shell.close()


def test_variables_functions_and_the_directory_live_on(shell: PersistentShell) -> None:
    shell.run("x='two  words'; greet() { echo \"hello $1\"; }; cd /shop")
    assert shell.run('echo "$x"; greet you; cat b.txt').text == "two  words\nhello you\ncherry\n"
    assert shell.cwd == "/shop"


def test_exit_codes_are_told_and_can_be_asked_for(shell: PersistentShell) -> None:
    assert shell.run("(exit 3)").exit_code == 3
    assert shell.run("echo $?").text == "3\n"
    assert shell.run("echo $?").text == "0\n"


QUOTED = ["echo 'a'\\''b'", "echo \"$(echo 'x')\"", "cat <<X\nhi 'there\nX", "echo a \\\n b", "# only a comment", ""]


@pytest.mark.parametrize("command", QUOTED)
def test_commands_mean_what_they_mean_to_bash(session: Session, shell: PersistentShell, command: str) -> None:
    assert shell.run(command).text == session.run(["/bin/bash", "-c", command]).text


def test_a_command_cannot_read_the_next_one(shell: PersistentShell) -> None:
    """Its standard input is empty."""
    assert shell.run("cat; read x; echo [$x]").text == "[]\n"
    assert shell.run("echo next").text == "next\n"


def test_a_syntax_error_is_an_observation(shell: PersistentShell) -> None:
    shell.run("x=5")
    observation = shell.run("ls )")
    assert "syntax error" in observation.text
    assert observation.exit_code not in (0, None)
    assert shell.run("echo $x").text == "5\n"


def test_jobs_live_on_and_can_be_waited_for(shell: PersistentShell) -> None:
    shell.run("(until [ -e /shop/go ]; do sleep 0.05; done; echo done > /shop/done) & job=$!")
    assert shell.run("touch /shop/go; wait $job; rm /shop/go; cat /shop/done").text.endswith("\ndone\n")


def test_what_a_job_prints_is_seen_later(shell: PersistentShell) -> None:
    shell.run("(until [ -e /shop/go ]; do sleep 0.05; done; echo from the job) & job=$!")
    assert "from the job\n" in shell.run("touch /shop/go; wait $job; rm /shop/go; echo here").text


def test_a_shell_that_was_ended_is_said_to_have_and_replaced(shell: PersistentShell) -> None:
    for command, status in (("x=5; cd /shop; exit 7", 7), ("exec true", 0), ("set -e; false", 1), ("kill -9 $$", 137)):
        observation = shell.run(command)
        assert observation.text.endswith(f"[the shell has ended with status {status}: the next command starts another]")
        assert observation.exit_code == status
        assert shell.run("echo [$x]").text == "[]\n"


def test_a_shell_that_a_job_has_ended_is_replaced(session: Session, shell: PersistentShell) -> None:
    shell.run("cd /shop")
    shell.run("(until [ -e /shop/go ]; do sleep 0.05; done; kill -9 $$) & x=5")
    number = shell.run("echo $$").text.strip()
    session.run(["/bin/bash", "-c", f"touch /shop/go; while kill -0 {number}; do sleep 0.05; done"], timeout=60)
    assert shell.run("echo [$x]; pwd").text == "[]\n/shop\n"


def test_a_command_that_takes_too_long_is_interrupted(session: Session) -> None:
    """The shell, and what it knows, survives."""
    shell = PersistentShell(session, seconds=3)
    shell.run("x=5")
    observation = shell.run("echo begun; sleep 60")
    assert observation.text == "begun\n[timed out after 3 s; interrupted]"
    assert (observation.timed_out, observation.exit_code) == (True, None)
    assert shell.run("echo $x").text == "5\n"
    shell.close()


def test_a_command_that_cannot_be_interrupted_is_killed_with_the_shell(session: Session) -> None:
    shell = PersistentShell(session, seconds=1.5)
    shell.run("x=5; cd /shop")
    observation = shell.run("trap '' INT; while :; do sleep 60; done")
    assert "killed, and the shell with it" in observation.text
    assert shell.run("echo [$x]; pwd").text == "[]\n/shop\n"
    shell.close()


def test_output_beyond_the_limit_is_counted(shell: PersistentShell) -> None:
    observation = shell.run("yes | head -c 100000; cd /shop")
    assert observation.text == "y\n" * 500 + "[99000 more bytes left out]"
    assert (observation.truncated, observation.exit_code, shell.cwd) == (True, 0, "/shop")


def test_output_that_goes_elsewhere_does_not_confuse_it(shell: PersistentShell) -> None:
    shell.run("exec 3>&1 >/shop/log 2>&1")
    observation = shell.run("echo hidden; (exit 4)")
    assert (observation.text, observation.exit_code) == ("", 4)
    assert shell.run("exec >&3 2>&1 3>&-; cat /shop/log").text == "hidden\n"


def test_nothing_of_ours_is_in_the_shell(shell: PersistentShell) -> None:
    """The terminal is Bash's own: 255 is the copy that every interactive Bash keeps of it."""
    assert shell.run("ls /proc/$$/fd >/shop/fds; cat /shop/fds").text.split() == ["0", "1", "2", "255"]
    assert shell.run("trap -p; declare -F; alias; history; compgen -v | grep -i intercode").text == ""


CRASHES = ["exec 3<&0", "exec {fd}<&0", "echo $(", "X=$(ls", "cat <(ls", "eval() { :; }", "printf() { :; }", "set -n"]


@pytest.mark.parametrize(
    "command", [*CRASHES, 'for i in {3..255}; do eval "exec $i>&-"; done', "trap '' INT; trap x DEBUG"]
)
def test_variables_survive_what_ends_a_shell_that_reads_a_pipe(shell: PersistentShell, command: str) -> None:
    shell.run("X=kept; (exit 0)")
    shell.run(command)
    assert [shell.run("builtin echo $X").text.splitlines()[-1] for _ in range(3)] == ["kept"] * 3


def test_a_shell_whose_jobs_take_all_processes_is_said_to_be_replaced(shell: PersistentShell) -> None:
    seen = [shell.run(":(){ :|:& };:").text]
    while "the shell was ended" not in seen[-1]:
        assert len(seen) < 4
        seen.append(shell.run("ls / | head -1").text)
    assert [shell.run(command).text for command in ("echo one", "ls / | head -1")] == ["one\n", "bin\n"]


def test_a_key_that_is_waited_for_is_the_enter_key(shell: PersistentShell) -> None:
    assert shell.run("read -n 1 -p 'Any key' key; echo [$key]").text == "Any key[]\n"
    assert shell.run("read -e line; echo [$line]").text == "[]\n"
    assert shell.run("echo on").text == "on\n"


def test_a_very_long_command_runs(shell: PersistentShell) -> None:
    assert shell.run(f"x={'y' * 300_000}; echo ${{#x}}").text == "300000\n"


def test_what_no_shell_could_be_given_is_said_so(shell: PersistentShell) -> None:
    assert shell.run("a\0b").text == "[the command holds a NUL byte: no command can]"
    assert shell.run("\ud800").text == "[the command is not text: it holds a lone surrogate]"


def test_a_sandbox_without_a_terminal_is_refused_before_anything_is_started() -> None:
    with pytest.raises(UserError, match="docker sandbox gives no terminal: a persistent shell needs"):
        BashEnv("starter", sandbox=DockerExecSandbox(), shell="persistent")
