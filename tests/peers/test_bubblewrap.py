"""Plain bubblewrap, as the benchmarks compare with it: that it does what it stands for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from benchmarks.file_tree import ROOT
from benchmarks.peers.bubblewrap import BubblewrapEach


@pytest.fixture
def design() -> Iterator[BubblewrapEach]:
    """One whose episode goes on."""
    design = BubblewrapEach()
    design.reset()
    yield design
    design.close()


def test_commands_see_the_tree_and_change_it(design: BubblewrapEach) -> None:
    assert design.run(f"cat {ROOT}/Hello.java") == b"class Hello {}\n"
    design.run(f"rm {ROOT}/Hello.java; echo hi > {ROOT}/new.txt")
    assert design.diff() == ["testbed/Hello.java", "testbed/new.txt"]


def test_commands_cannot_write_to_the_host_and_see_no_processes_of_it(design: BubblewrapEach) -> None:
    assert b"Read-only file system" in design.run("touch /usr/new")
    assert design.run("ls -d /proc/[0-9]* | wc -l").strip() in (b"3", b"4", b"5")
