"""`hackcheck --fix`: what it writes closes the hole and pays the gold, and what it cannot close it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from data_set_bank import read_entry

from intercode.adversaries.adversary import Adversary, playing
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.fix.mend import Fix, fix
from intercode.audit.hackcheck.fix.rewrites import rewrites_of
from intercode.cli.display.hackcheck_fix import lines
from intercode.errors import UserError
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Action


def fixed(name: str, folder: Path) -> Fix:
    """What --fix makes of a data set of the bank, after its own exploit was found."""
    entry = read_entry(name, folder)
    [moves] = [each for each in entry.exploits if each is not None]
    settings = Settings(dataset=str(folder / name))
    player = Adversary("deletes-what-is-named", "", playing([Action.parse(move) for move in moves]))
    with prepare(settings) as job, prepare(settings) as elsewhere:
        checks = HackCheck(job, elsewhere, [player], explains=True).run()
    assert all(check.holes for check in checks)
    return fix(settings, checks)


@pytest.mark.parametrize("name", ["harbor-status-of-tee", "harbor-shadowed-program", "bash-number-somewhere"])
def test_a_hole_that_is_mechanical_is_closed_and_the_gold_earns_1(name: str, tmp_path: Path) -> None:
    found = fixed(name, tmp_path)
    assert [hole.is_closed for hole in found.holes] == [True]
    [hardened] = found.files
    assert hardened.written is not None
    assert hardened.written.is_file()
    assert hardened.file.read_text() != hardened.written.read_text()
    assert hardened.changes


def test_what_cannot_be_mended_is_said_with_its_remedy(tmp_path: Path) -> None:
    found = fixed("bash-cache-empty", tmp_path)
    assert [hole.is_closed for hole in found.holes] == [False]
    said = "\n".join(lines(found))
    assert "still open" in said
    assert "check also that what was to stay is still there" in said
    assert "nothing that is mechanical helps here" in said


def test_a_data_set_that_is_no_folder_is_refused() -> None:
    with pytest.raises(UserError, match="name a folder, not 'starter'"):
        fix(Settings(dataset="starter"), [])


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("test.sh", "python3 /tests/check.py", "/usr/bin/python3 -I /tests/check.py"),
        ("test.sh", "python3 -I check.py", "python3 -I check.py"),
        ("test.sh", "grep -q yes out.txt", "grep -xq yes out.txt"),
        ("check.py", "assert '4' in text", "assert '4'.strip() == (text).strip()"),
        ("check.py", "assert word in open('x').read().split()", "assert [word] == open('x').read().split()"),
        ("check.py", "assert right.startswith(answer)", "assert right == answer"),
        ("check.py", "for a, b in zip(lines, right): pass", "for a, b in zip(lines, right, strict=True): pass"),
        ("check.py", "assert eval(text) == [1]", "assert __import__('ast').literal_eval(text) == [1]"),
        ("check.py", "assert kind in ('a', 'b')", "assert kind in ('a', 'b')"),
        ("check.py", "this is no Python", "this is no Python"),
    ],
)
def test_each_change_is_made_where_it_fits(name: str, before: str, after: str) -> None:
    made = [rewrite(before) for what, rewrite in rewrites_of(name) if "system's programs" not in what]
    assert [text for text in made if text != before] == ([after] if after != before else [])
