"""Somebody in IPython: SANDBOX [OPTION=VALUE]. Ctrl-C ends what is under way there, and the session goes on."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from intercode import registry
from intercode_sandbox.images import find

LATER = 0.5
"""Seconds after which whatever Ctrl-C has killed is gone."""


def children() -> set[int]:
    """The programs that this one has started and that run: sandboxes, guards of servers."""
    found = set()
    for number in filter(str.isdecimal, os.listdir("/proc")):
        try:
            state, parent, *_ = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(parent) == os.getpid() and state not in "XZ":
            found.add(int(number))
    return found


def until_interrupted(work: Callable[[], object]) -> None:
    """Say that Ctrl-C can be pressed, and take it as IPython does: the line is forgotten, all else is as it was.

    What was started for the session lives on: that a new one would be started in its place proves nothing.
    """
    before = children()
    try:
        print("press", flush=True)
        work()
    except KeyboardInterrupt:
        time.sleep(LATER)
        gone = before - children()
        assert not gone, f"Ctrl-C has ended {gone}"
        print("interrupted", flush=True)
    else:
        sys.exit("nobody pressed Ctrl-C")


def main(name: str, *given: str) -> None:
    options: dict[str, object] = {key: value for key, _, value in (option.partition("=") for option in given)}
    if name == "local":
        options["i_know_this_is_unsafe"] = True
    image = find("host")  # containers are no programs of ours: they are the engine's
    with registry.find("sandboxes", name)(**options) as sandbox, sandbox.start(image) as session:
        root = session.root.rstrip("/")
        stays = session.open(["/bin/cat"])
        for number, work in enumerate((lambda: time.sleep(60), lambda: session.run(["/bin/sleep", "61"], timeout=60))):
            session.run(["/bin/sh", "-c", f"echo {number} > {root}/file"])
            assert name == "docker" or children(), "nothing was started that Ctrl-C could end"
            until_interrupted(work)
            stays.send(b"here\n")
            assert stays.receive(30) == b"here\n"
            assert session.run(["/bin/cat", f"{root}/file"]).text == f"{number}\n"
            assert session.read("/file") == f"{number}\n".encode()
            assert [change.path for change in session.changes()] == ["/file"]
            with session.snapshot() as snapshot, sandbox.start(image, snapshot=snapshot) as twin:
                assert twin.read("/file") == f"{number}\n".encode()
        with sandbox.start(image) as other:
            assert other.run(["/bin/echo", "new"]).text == "new\n"
    print("all is well", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
