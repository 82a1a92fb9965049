"""Completion by the shells themselves: bash, zsh and fish offer commands, options and names of plug-ins."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from pseudo_terminal import PseudoTerminal
from terminal import PROGRAM

TYPED = pytest.mark.parametrize(
    ("typed", "offered"),
    [("ru", "run"), ("run --ligh", ""), ("run --lim", "--limit"), ("run --dataset starter-p", "starter-python")],
)
TAB, HOME_KEY, END_KEY = "\t", "\x01", "\x05"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("intercode ru", "run"),
        ("intercode run --agent orac", "oracle"),
        ("intercode run --dataset starter-p", "starter-python"),
    ],
)
def test_a_shell_completes_commands_options_and_names(typed: str, offered: str) -> None:
    done = subprocess.run(
        PROGRAM,
        env={
            **os.environ,
            "_INTERCODE_COMPLETE": "complete_bash",
            "COMP_WORDS": typed.replace(" ", "\n"),
            "COMP_CWORD": str(typed.count(" ")),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == [offered]


def run_in(shell: str, script: str, home: Path) -> str:
    """What *shell* prints that runs *script* for a user whose files are in *home*. Skips where it is not installed."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: apt-get install {shell}")
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": []}[shell]
    command = [shell, *options, "-c", script]
    done = subprocess.run(command, env={**os.environ, **of_user(home)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def of_user(home: Path) -> dict[str, str]:
    """The environment of a user whose files are in *home*, and who has the program on the PATH."""
    return {"HOME": str(home), "ZDOTDIR": str(home), "PATH": f"{Path(PROGRAM[0]).parent}:{os.environ['PATH']}"}


def install(shell: str, home: Path) -> str:
    """What `intercode --install-completion` says that is typed in *shell*; it finds out by itself which shell it is."""
    return run_in(shell, "intercode --install-completion; :", home)  # with a second command, or bash would be replaced


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_for_the_shell_that_asks_and_shown(shell: str, tmp_path: Path) -> None:
    assert f"{shell} completion installed in {tmp_path}" in install(shell, tmp_path)
    installed = [path for path in tmp_path.rglob("*") if path.is_file() and "_INTERCODE_COMPLETE" in path.read_text()]
    assert len(installed) == 1
    shown = run_in(shell, "intercode --show-completion; :", tmp_path)
    assert f"complete_{shell}" in shown


@TYPED
def test_a_real_bash_completes_a_command_an_option_and_a_data_set(typed: str, offered: str, tmp_path: Path) -> None:
    """In the shell that `--install-completion` was typed in, started anew."""
    install("bash", tmp_path)
    words = ["intercode", *typed.split(" ")]
    script = (
        "source ~/.bashrc\n"
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n"
        "function=$(complete -p intercode | sed 's/.*-F \\([^ ]*\\).*/\\1/')\n"
        "$function intercode\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    assert run_in("bash", script, tmp_path).split() == [offered] * bool(offered)


@TYPED
def test_a_real_fish_completes_a_command_an_option_and_a_data_set(typed: str, offered: str, tmp_path: Path) -> None:
    install("fish", tmp_path)
    lines = run_in("fish", f"complete -C 'intercode {typed}'", tmp_path).splitlines()
    assert [line.partition("\t")[0] for line in lines] == [offered] * bool(offered)


@TYPED
def test_a_real_zsh_completes_a_command_an_option_and_a_data_set(typed: str, offered: str, tmp_path: Path) -> None:
    """Where somebody types: zsh completes nowhere else. The first Tab only loads typer's function."""
    install("zsh", tmp_path)
    last = typed.rpartition(" ")[2]
    expected = f"intercode {typed.removesuffix(last)}{offered or last}"
    with PseudoTerminal(["zsh", "-d", "-i"], env={**of_user(tmp_path), "PS1": "ready> "}) as shell:
        shell.wait_for("ready> ")
        shell.press(f"intercode {typed}{TAB}{TAB}{HOME_KEY}echo '<{END_KEY}>'\r")
        shell.wait_for("\n<")
        assert shell.wait_for(">\n").rstrip() == expected
