"""Exit statuses that are answers, and no errors of who asked. Each command is run: its status is the real one."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from intercode import world_specs
from intercode.worlds.bash.answer_status import LONGEST, is_answer

ANSWERS = [
    "grep foo a",
    "cat a | grep foo",
    "grep -q foo a && echo found",
    "grep -q foo a && wc -l < a",
    "cd . && LC_ALL=C grep foo a 2>&1",
    "(cd .; grep foo a)",
    "for file in a b; do grep foo $file; done",
    "if [ -e a ]; then true; fi; grep foo a",
    "grep 'x;y && ls' a  # comment; ls",
    "grep foo <<< 'one two'",
    "find . -name a -exec grep foo {} +",
    "echo a | xargs grep foo",
    "timeout 5 grep foo a",
    "diff a b",
    "diff a b; ",
    "diff -q a b >> /dev/null",
    "cmp a b",
    "test -e c",
    "[ -d a ]",
    "[[ -e a && -e c ]]",
    "(( 2 < 1 ))",
    "! grep -q one a",
    "expr 1 - 1",
    "command -v no-such-program",
    "pgrep no-such-process",
    "printf 'b\\na\\n' | sort -c",
    "sha256sum --status -c sums",
    "false",
]

ERRORS = [
    "ls c",
    "grep foo c",
    "diff a c",
    "grep one a; cat c",
    "grep foo a; cat c || ls c",
    "grep foo a | cat c",
    "cat c  # grep foo a",
    'echo "$(grep foo a)" > no/such/file',
    "cat 'grep foo a'",
    "sort c",
    "sh -c 'exit 1'",
    "python3 - <<'X'\nimport grep\nX",
]


@pytest.fixture
def status(tmp_path: Path) -> Callable[[str], int]:
    (tmp_path / "a").write_text("one\n")
    (tmp_path / "b").write_text("two\n")
    (tmp_path / "sums").write_text(f"{'0' * 64}  a\n")

    def run(code: str) -> int:
        return subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, check=False).returncode

    return run


@pytest.mark.parametrize("code", ANSWERS)
def test_a_command_that_says_no_by_its_status_gives_an_answer(status: Callable[[str], int], code: str) -> None:
    found = status(code)
    assert found != 0
    assert is_answer(code, found)


@pytest.mark.parametrize("code", ERRORS)
def test_what_could_not_be_done_is_no_answer(status: Callable[[str], int], code: str) -> None:
    found = status(code)
    assert found != 0
    assert not is_answer(code, found)


@pytest.mark.parametrize("world", ["bash", "ctf", "swe", "harbor"])
def test_all_worlds_with_a_shell_know_it_and_others_do_not(world: str) -> None:
    assert world_specs.find(world).is_answer("diff a b", 1)
    assert not world_specs.find("sql").is_answer("diff a b", 1)


@pytest.mark.parametrize("piece", ["(", "'", '"\\', "`\\", "a && ", "[ ", " #", "$(", "{ ", "<", "a\n"])
def test_no_action_is_long_to_look_through(piece: str) -> None:
    began = time.process_time()
    is_answer(piece * (LONGEST // len(piece)), 1)
    assert time.process_time() - began < 1.0
    assert not is_answer(f"{piece * LONGEST}\ngrep a b", 1)
