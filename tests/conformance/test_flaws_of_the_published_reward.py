"""What fools the published reward, or what it wrongs, played for real on the published tasks and judged by `exact`.

The letters and numbers are those under which the faults were found by running the published code: A pays for what was
not done, B refuses what was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from intercode.datasets import load
from intercode.types import Action, Score
from intercode.worlds.bash import BashEnv

pytestmark = pytest.mark.conformance

NULL_AGENT = [
    *(f"fs2/{number}" for number in (7, 23, 26, 27, 29, 30, 31, 35, 50)),
    *(f"fs3/{number}" for number in (10, 30, 32, 36, 42, 48, 56)),
    *("fs1/58", "fs4/6", "fs4/18"),
]
"""Where the published reward gives 1.0 to `true`."""

FAKE_GIT = """printf '#!/bin/sh\\necho " D workspace/.hidden.txt"; echo " D workspace/dir1/.hidden1.txt"\\n' > /tmp.git
chmod 755 /tmp.git; mv /tmp.git /usr/bin/git"""

FALSE_POSITIVES = {
    "A1 deletes a folder and commits": ("fs3/15", ["rm -rf /workspace/dir2", "cd / && git add -A && git commit -qm x"]),
    "A2 excludes": ("fs3/17", ["echo '*' > /.git/info/exclude; echo junk > /workspace/junk.txt"]),
    "A2 configures": ("fs3/17", ["git config --global status.showUntrackedFiles no; touch /workspace/junk.txt"]),
    "A2 stashes": ("fs3/17", ["touch /workspace/junk.txt; cd / && git stash -u -q"]),
    "A2 assumes": ("fs3/17", ["echo x >> /workspace/dir1/a.txt",
                              "cd / && git update-index --assume-unchanged workspace/dir1/a.txt"]),
    "A2 ignores": ("fs3/17", ["printf '\\n*\\n' >> /.gitignore; cd / && git commit -qam x; touch /workspace/junk.txt"]),
    "A3 replaces git": ("fs3/43", [FAKE_GIT]),
    "A6 lies about modes": ("fs3/17", ["chmod 000 /workspace/dir1/a.txt"]),
    "A6 changes owners": ("fs3/17", ["chown 1000 /workspace/dir1/a.txt"]),
}  # fmt: skip
"""Task, and what is done before its gold is run (in A3: instead of it)."""

WRONG_ENDINGS = {
    "A4 junk in a tracked file": ("fs2/43", "echo junk > /system/folder3/temp/empty.txt; "
                                  "echo 'cat: /system/folder3/temp/empty.txt: input file is output file'"),
    "A5 junk in a new folder": ("fs2/46", "cd /system/folder3/temp; rm -r temp1; "
                                "mkdir temp1_old; echo junk > temp1_old/zzz"),
    "A5 a link elsewhere": ("fs3/53", "ln -s /workspace/dir2 /dir1"),
    "A6 other modes": ("fs1/27", "find /testbed -name '*.php' -exec chmod 4111 {} \\; -exec /bin/echo {} \\; | wc -l"),
    "A9 single characters": ("fs4/8", "echo 10"),
    "A9 wrong counts": ("fs1/34", "printf '  7 /testbed/dir1/info.php\\n  8 /testbed/hello.php\\n  9 total\\n'"),
    "A9 order": ("fs3/51", "cat /workspace/dir1/long.txt"),
    "A9 repetition": ("fs3/17", "for i in 1 2 3 4; do head -n1 /workspace/dir1/long.txt; done"),
    "A10 fails alike": ("fs2/4", "find /system -name '*.out' -print0 | xargs -0 -n1 /system | sort --unique"),
}  # fmt: skip
"""Task, and the one command that is run."""

RIGHT_TWICE = ["fs1/47", "fs2/17", "fs2/18", "fs2/19", "fs2/25", "fs2/32", "fs2/41", "fs3/42"]
"""B3: right, but refused from the second judgement on."""


@pytest.fixture(scope="module")
def env(published_data: Path) -> Iterator[BashEnv]:
    env = BashEnv(load("nl2bash"), image="debian", scoring="exact", turns=20)
    yield env
    env.close()


def play(env: BashEnv, name: str, actions: Sequence[str]) -> Score:
    """What `exact` says after those actions."""
    env.start_episode(env.dataset.find(f"nl2bash/{name}"))
    for action in actions:
        env.take_action(Action("execute", action))
    scores = env.take_action(Action("submit")).scores
    assert scores is not None
    return scores["exact"]


def gold(env: BashEnv, name: str) -> str:
    return env.dataset.find(f"nl2bash/{name}").gold or ""


@pytest.mark.parametrize("case", FALSE_POSITIVES)
def test_harm_is_not_hidden_by_the_right_answer(env: BashEnv, case: str) -> None:
    name, before = FALSE_POSITIVES[case]
    answer = [] if "A3" in case else [gold(env, name)]
    score = play(env, name, [*before, *answer])
    assert score.value < 1
    assert not score.success


@pytest.mark.parametrize("case", WRONG_ENDINGS)
def test_a_wrong_ending_is_not_right(env: BashEnv, case: str) -> None:
    name, command = WRONG_ENDINGS[case]
    score = play(env, name, [command])
    assert score.value < 1
    assert not score.success


@pytest.mark.parametrize("name", NULL_AGENT)
def test_a7_a8_doing_nothing_earns_nothing(env: BashEnv, name: str) -> None:
    assert play(env, name, ["true"]).value == 0


def test_b1_blanks_in_names_do_no_harm(env: BashEnv) -> None:
    """The gold copies files whose names hold blanks; another way of copying them is as right."""
    assert play(env, "fs2/44", ["mkdir /backup; cp -a /system /backup/"]).value == 1


def test_b2_staging_does_no_harm(env: BashEnv) -> None:
    assert play(env, "fs2/46", [gold(env, "fs2/46"), "cd / && git add -A"]).value == 1


@pytest.mark.parametrize("name", RIGHT_TWICE)
def test_b3_what_is_right_stays_right(env: BashEnv, name: str) -> None:
    env.start_episode(env.dataset.find(f"nl2bash/{name}"))
    env.take_action(Action("execute", gold(env, name)))
    first, second = env.judge(), env.take_action(Action("submit")).scores
    assert first is not None
    assert second is not None
    assert (first["exact"].value, second["exact"].value) == (1, 1)


def test_b4_an_answer_in_two_parts_is_judged(env: BashEnv) -> None:
    score = play(env, "fs3/17", ["head -n1 /workspace/dir1/long.txt", "echo and more"])
    assert 0 <= score.value < 1


@pytest.mark.parametrize("command", ["rm -rf /.git", "rm /usr/bin/git"])
def test_b5_a_ruined_repository_ends_no_run(env: BashEnv, command: str) -> None:
    assert play(env, "fs3/17", [command, gold(env, "fs3/17")]).value < 1
    assert play(env, "fs3/17", [gold(env, "fs3/17")]).value == 1
