from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.worlds.bash.scoring.paper_quoting import (
    PaperCommand,
    lost_directory,
    paper_argv,
    paper_cd,
    paper_command,
    paper_gold,
    split,
)

actions = st.text(alphabet="ab \"'\\\n\t$`;é", max_size=20)


@pytest.mark.parametrize(
    ("action", "printed"),
    [
        ('echo "a b"', "a\n"),
        (r'echo -e "a\nb"', "anb\n"),
        (r"echo \"a  b\"", "a  b\n"),
        (r"echo \\a '\\'", "a \\\n"),
        ("echo 'a  b'", "a  b\n"),
        ("  echo a\necho b  ", "a\nb\n"),
        ('echo a; echo $0 "b c" d', "a\nc d b\n"),
    ],
)
def test_double_quotes_end_the_outer_quotes(action: str, printed: str) -> None:
    argv = paper_argv(action)
    assert argv is not None
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == printed


def test_a_glob_in_double_quotes_is_expanded_by_the_shell() -> None:
    assert paper_argv('find / -name "*.c"') == ["/bin/bash", "-c", "find / -name *.c"]


def test_after_the_inner_quote_white_space_starts_a_new_argument() -> None:
    assert paper_argv('grep "The first" f') == ["/bin/bash", "-c", "grep The", "first f"]


@pytest.mark.parametrize("action", ['echo "', "echo a\\", "echo \"it's\" 'x", "echo \0"])
def test_what_cannot_be_split_is_malformed(action: str) -> None:
    assert paper_argv(action) is None
    assert paper_command(action, "/") is None


@given(actions)
def test_escaping_for_double_quotes_carries_an_action_through(action: str) -> None:
    escaped = action.strip().replace("\\", "\\\\").replace('"', '\\"')
    assert paper_argv(escaped) == ["/bin/bash", "-c", escaped and action.strip()]


@given(actions)
def test_an_action_without_double_quotes_and_backslashes_arrives_as_it_is(action: str) -> None:
    if not {'"', "\\"} & set(action):
        assert paper_argv(action) == ["/bin/bash", "-c", action.strip()]


@given(actions)
def test_it_splits_as_the_docker_client_does(action: str) -> None:
    assert paper_argv(action) == by_shlex(f'/bin/bash -c "{action.strip()}"')


@given(st.text(alphabet="ab \"'\\\n\t\r\x0b\u00a0é", max_size=20) | st.text(max_size=20))
def test_it_splits_as_shlex_does(text: str) -> None:
    assert split(text) == by_shlex(text)


def by_shlex(text: str) -> list[str] | None:
    try:
        return shlex.split(text)
    except ValueError:
        return None


@pytest.mark.parametrize("piece", ["a ", "x", "\\x", '" \\y"', "''"])
def test_a_megabyte_is_split_in_no_time(piece: str) -> None:
    """shlex itself takes a minute for it."""
    argv = paper_argv(piece * (1_000_000 // len(piece)))
    assert argv is not None
    assert sum(map(len, argv)) > 10


@pytest.mark.parametrize(
    ("action", "cwd", "target"),
    [
        ("cd /a", "/x", "/a"),
        ("cd a/../b/./c", "/x", "/x/b/c"),
        ("cd ../../..", "/x", "/"),
        ("cd ~", "/x", "/x/~"),
        ("cd -", "/", "/-"),
        ("cd ", "/x", "/x"),
        ("cd /x && ls", "/", "/x && ls"),
        ('cd "/x y"', "/", '/"/x y"'),
        ("cdx; cd y", "/", "/y"),
    ],
)
def test_cd_takes_all_that_follows_as_a_path(action: str, cwd: str, target: str) -> None:
    assert paper_cd(action, cwd) == target


def test_cd_runs_from_the_root_and_moves_when_it_succeeds() -> None:
    assert paper_command("cd sub", "/x") == PaperCommand(("/bin/bash", "-c", "cd /x/sub"), "/", "/x/sub")


def test_other_commands_run_where_the_agent_is_and_do_not_move() -> None:
    assert paper_command("ls; cd /", "/x") == PaperCommand(("/bin/bash", "-c", "ls; cd /"), "/x", "/x")


@pytest.mark.parametrize("action", ["cd", "cdx", "cd\t/x", 'cd "x'])
def test_a_cd_that_breaks_the_published_program_is_malformed(action: str) -> None:
    assert paper_command(action, "/") is None


@given(st.text(alphabet="a./ ", max_size=12), st.text(alphabet="a./ ", max_size=12))
def test_a_resolved_path_is_absolute_and_has_no_dots(start: str, argument: str) -> None:
    cwd = paper_cd("cd /" + start, "/")
    assert cwd is not None
    target = paper_cd("cd " + argument, cwd)
    assert target is not None
    assert target.startswith("/")
    assert not {"", ".", ".."} & set(target[1:].split("/") if target != "/" else ())


def test_golds_run_from_the_root_and_a_list_is_joined() -> None:
    expected = PaperCommand(("/bin/bash", "-c", "cd $(pwd);ls"), "/", "/")
    assert paper_gold(["cd $(pwd)", "ls"]) == paper_gold("cd $(pwd);ls") == expected
    assert paper_gold("echo '\"'") is None


def test_a_lost_working_directory_is_reported_as_in_the_recordings() -> None:
    assert lost_directory("/x && printf '%t\\n\"\té\x01'") == (
        "OCI runtime exec failed: exec failed: unable to start container process: chdir to cwd "
        '("/x && printf \'%t\\\\n\\"\\té\\x01\'") set in config.json failed: no such file or directory: unknown\r\n'
    )
