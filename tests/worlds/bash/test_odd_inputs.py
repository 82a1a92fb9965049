"""The persistent shell against a real Bash on a real terminal, by some five hundred inputs that are odd but legal.

`odd_inputs.jsonl` has one a line. Where the two are meant to differ, `differs` names the row of the table in
`docs/worlds/bash.md` that says so.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from env.real_terminal import Seen, on_terminal
from intercode.worlds.bash.persistent_shell import PersistentShell
from intercode_sandbox import images
from intercode_sandbox.sandbox import Sandbox

IMAGE = images.find("host")
ROWS = [json.loads(line) for line in Path(__file__).with_name("odd_inputs.jsonl").read_text().splitlines()]
DOCUMENTED = Path(__file__).parents[3] / "docs" / "worlds" / "bash.md"
OURS = re.compile(r"\[the shell (has ended|does not say)[^]]*\]$")
NUMBER = re.compile(r"^(\[\d+\][+-]?) +\d+$", re.MULTILINE)
NOTICE = re.compile(r"^\[\d+\][+-]? +(Done|Terminated|Killed|Exit \d+)\b.*\n", re.MULTILINE)
"""What Bash says of a job that has ended: when it does is chance."""

MORTAL = {"builtin", "output", "suspend"}
"""Differences in which the shell may end: all others leave it alive, with its variables."""

CLASSES: dict[str, list[dict[str, str]]] = defaultdict(list)
for row in ROWS:
    CLASSES[row["class"]].append(row)


@pytest.mark.parametrize("kind", CLASSES)
def test_odd_inputs_do_what_they_do_on_a_terminal(sandbox: Sandbox, kind: str) -> None:
    """In one of three tries: what a real terminal has shown when it is read is chance on a busy machine."""
    wrong = [row for row in CLASSES[kind] if not any(_is_right(sandbox, row) for _ in range(3))]
    assert not wrong


def test_what_differs_on_purpose_is_documented() -> None:
    table = DOCUMENTED.read_text()
    assert {row["differs"] for row in ROWS if "differs" in row} == set(
        re.findall(r"^\| `([a-z ]+)` \|", table, re.MULTILINE)
    )


def _is_right(sandbox: Sandbox, row: dict[str, str]) -> bool:
    seen = _in_ours(sandbox, row["input"])
    if "differs" in row:
        return seen.lives or row["differs"] in MORTAL
    expected = on_terminal(row["input"], is_cut_off=row["class"] == "cut off")
    same_status = expected.status is None or seen.status == expected.status
    return (seen.text, seen.lives, same_status) == (_comparable(expected.text), expected.lives, True)


def _in_ours(sandbox: Sandbox, command: str) -> Seen:
    with sandbox.start(IMAGE) as session:
        shell = PersistentShell(session, seconds=5)
        shell.run("X=kept; cd /tmp")
        observation = shell.run(command)
        kept = shell.run("\\builtin printf '<%s>' \"$X\"").text
        answers = shell.run("\\builtin printf 42").text
        shell.close()
    return Seen(
        _comparable(OURS.sub("", observation.text)), observation.exit_code, lives="<kept>" in kept and "42" in answers
    )


def _comparable(text: str) -> str:
    return NUMBER.sub(r"\1", NOTICE.sub("", text))
