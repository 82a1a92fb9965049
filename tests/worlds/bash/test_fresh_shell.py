"""The fresh shell: each command is its own Bash, the working directory is kept, and nothing of that shows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from env.tiny import TinyDataset
from intercode.worlds.bash.fresh_shell import FreshShell
from intercode.worlds.bash.paper_shell import PaperShell
from intercode.worlds.bash.persistent_shell import PersistentShell
from intercode_sandbox import images
from intercode_sandbox.sandbox import Limits, Sandbox, Session

DATASET = TinyDataset()
IMAGE = DATASET.image(DATASET[0], images.find("host"))


@pytest.fixture
def session(sandbox: Sandbox) -> Iterator[Session]:
    with sandbox.start(IMAGE) as session:
        yield session


@pytest.fixture
def shell(session: Session) -> FreshShell:
    return FreshShell(session, seconds=10)


MOVES = {
    "cd /shop": "/shop",
    "cd shop/deep": "/shop/deep",
    "cd /shop && ls": "/shop",
    "ls; cd /shop; ls": "/shop",
    "cd /shop; exit 3": "/shop",
    "cd /shop; no-such-program": "/shop",
    "cd /shop; set -e; false; cd /": "/shop",
    "cd /shop; kill $$": "/shop",
    "cd /shop; exec >/dev/null 2>&1; echo hidden": "/shop",
    "pushd /shop >/dev/null; pushd deep": "/shop/deep",
    "cd /shop; cd deep; cd ..": "/shop",
    "eval 'c''d /shop'": "/shop",
    "echo 'cd /shop' > /tmp/s; . /tmp/s": "/shop",
    "go() { cd /shop; }; go": "/shop",
    "if true; then . /dev/stdin <<< 'cd /shop'; fi": "/shop",
    "mkdir '/a b'$'\\n'c; cd '/a b'$'\\n'c": "/a b\nc",
    "mkdir /é; cd /é": "/é",
    "mkdir $'/\\xff'; cd $'/\\xff'": "/\udcff",
    "cd /shop/../shop/./deep": "/shop/deep",
    "ln -s /shop /way; cd /way/deep": "/shop/deep",
    "c\\d /shop": "/shop",
    "shopt -s autocd; cd /; exec bash -c 'cd /shop; exec true'": "/shop",
    "cd /shop; exec true": "/shop",
    "cd /shop; kill -9 $$": "/shop",
    "cd /shop; trap 'echo mine' EXIT": "/shop",
    "cd /shop; trap - EXIT; exec 200>&- 1>&- 2>&-": "/shop",
    "cd /shop; exec 200>/tmp/lock; flock -n 200": "/shop",
    "mkdir '/x (deleted)'; cd '/x (deleted)'": "/x (deleted)",
    "cd /shop; set -n": "/shop",
    # What moves nothing: another process
    "(cd /shop)": "/",
    "cd /shop | cat": "/",
    "bash -c 'cd /shop'": "/",
    "cd /nowhere": "/",
    "env -C /shop true": "/",
    "cd /tmp; cd / && python3 -c 'import os; os.chdir(\"/shop\")'": "/",
    "cat > /tmp/f <<X\ncd /shop\nX\nbash /tmp/f": "/",
    "cd /shop; ls )": "/",
    "ls": "/",
}


@pytest.mark.parametrize(("command", "where"), MOVES.items(), ids=MOVES)
def test_the_directory_is_where_a_command_ended(shell: FreshShell, command: str, where: str) -> None:
    """When it cannot be known, it stays what it was."""
    shell.run(command)
    assert shell.cwd == where
    assert shell.run("pwd").text.rstrip("\n") == where.replace("\udcff", "\ufffd")


def test_commands_start_where_the_last_one_ended(shell: FreshShell) -> None:
    shell.run("cd /shop")
    shell.run("cd deep && ls")
    assert shell.run("cat c.txt").text == "damson\n"
    assert shell.run("cat ../b.txt; cd ..").text == "cherry\n"
    assert shell.cwd == "/shop"


def test_variables_do_not_live_on(shell: FreshShell) -> None:
    shell.run("x=5; cd /shop")
    assert shell.run("echo [$x]").text == "[]\n"


COMMANDS = [
    "cd /nowhere",
    "cd /shop; nope",
    "cd /shop\nnope\n\nnope",
    "cd /shop; ls )",
    "echo 'x; cd /shop",
    "cd /shop; cat <<X\nhi",
    "cd /; for i in 1 2; do\n nope\ndone",
    "f() {\n cd nowhere\n}\nf",
    "cd /shop; echo $LINENO; echo ${x?bad}",
    "cd /shop; set -u; echo $x",
    "cd /shop; echo $0 $# $BASH_EXECUTION_STRING",
    "cd /shop; cat; read x; echo $?",
    "cd /shop; (exit 4)",
    "cd /shop; exit 5",
    "cd /shop; kill -9 $$",
    "cd /shop; printf 'no line end'",
    "cd /shop; printf '\\0\\0binary\\xff'",
    "cd /shop; env | grep -c BASH_ENV",
    "cd /shop; bash -c 'nope; env | grep BASH_ENV'",
    "cd /shop; echo $((1/0))",
    "cd /shop; eval 'nope'; source /nowhere",
    "eval echo x >&2; echo y",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_following_the_directory_does_not_show(session: Session, shell: FreshShell, command: str) -> None:
    """Output, line numbers in messages and the exit code are those of plain `bash -c`."""
    plain = session.run(["/bin/bash", "-c", command])
    seen = shell.run(command)
    assert (seen.text, seen.exit_code) == (plain.text, plain.exit_code)


def test_nothing_of_ours_is_in_the_shell(session: Session, shell: FreshShell) -> None:
    """Its descriptors, traps and functions are those of plain `bash -c`; of variables Python's hash seed is more."""
    question = "cd /; ls -l /proc/self/fd | wc -l; trap -p; declare -F; compgen -v; env; shopt; set +o"
    plain = session.run(["/bin/bash", "-c", question], env={**session.image.env, "PYTHONHASHSEED": "0"})
    assert shell.run(question).text == plain.text


def test_a_lock_on_any_descriptor_is_an_empty_file(shell: FreshShell) -> None:
    for number in (9, 99, 200, 255):
        shell.run(f"cd /shop; exec {number}>/tmp/lock; flock -n {number} && cd deep")
        assert (shell.cwd, shell.run("wc -c </tmp/lock").text) == ("/shop/deep", "0\n")


def test_a_directory_that_is_gone_is_left(shell: FreshShell) -> None:
    """The agent is told, once, and goes on at the root."""
    shell.run("mkdir /gone; cd /gone; rmdir /gone")
    assert shell.run("echo ran").text == "[/gone is gone: the working directory is / again, and nothing was run]"
    assert shell.run("pwd").text == "/\n"


def test_a_command_that_is_too_long_for_an_argument_runs(shell: FreshShell) -> None:
    """Comments and all; it can move, and its standard input is empty."""
    observation = shell.run(f"cd /shop # {'x' * 200_000}\nread -r x; echo [$x]\nnope")
    assert observation.text == "[]\n/bin/bash: line 3: nope: command not found\n"
    assert (observation.exit_code, shell.cwd) == (127, "/shop")


def test_what_no_shell_could_be_given_is_said_so(shell: FreshShell) -> None:
    assert shell.run("echo a\0b").text == "[the command holds a NUL byte: no command can]"
    assert shell.run("echo \ud800").text == "[the command is not text: it holds a lone surrogate]"


def test_bytes_that_are_not_text_become_replacement_characters(shell: FreshShell) -> None:
    assert shell.run("printf 'a\\xffb\\n'").text == "a\ufffdb\n"


@pytest.mark.parametrize("move", ["", "cd /shop; "])
def test_a_command_that_never_ends_is_killed_and_said_to_be(session: Session, move: str) -> None:
    observation = FreshShell(session, seconds=3).run(f"{move}printf begun; sleep 60")
    assert observation.text == "begun\n[timed out after 3 s; killed]"
    assert (observation.exit_code, observation.timed_out) == (None, True)


@pytest.mark.parametrize("move", ["", "cd /shop; "])
def test_output_beyond_the_limit_is_counted(sandbox: Sandbox, move: str) -> None:
    with sandbox.start(IMAGE, limits=Limits(output=100)) as session:
        observation = FreshShell(session, seconds=10).run(f"{move}yes | head -c 1000")
    beginning, notice = observation.text.rsplit("\n", 1)
    assert beginning + "\n" == "y\n" * 50
    assert notice.startswith("[9")
    assert notice.endswith(" more bytes left out]")
    assert observation.truncated


def test_python_hashes_alike_in_every_command_and_the_agent_may_change_that(
    shell: FreshShell, session: Session
) -> None:
    command = """python3 -c 'print(hash("a"))'"""
    said = [shell.run(command).text for _ in range(3)]
    assert len(set(said)) == 1
    assert shell.run(f"export PYTHONHASHSEED=7; {command}").text != said[0]
    persistent = PersistentShell(session, seconds=10)
    assert persistent.run(command).text == said[0]
    persistent.close()


def test_commands_of_the_paper_have_the_published_environment(session: Session) -> None:
    assert "PYTHONHASHSEED" not in PaperShell(session, seconds=10).run("env").text
