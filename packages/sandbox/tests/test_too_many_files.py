"""A program that may open no more files: sessions say so as the machine's error, and work again once it may."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import os, resource, sys
from intercode_sandbox.errors import SandboxError, SessionLostError
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox

def attempt(sandbox, image):
    with sandbox.start(image) as session:
        assert session.run(["/bin/bash", "-c", "echo hi; sleep 0.05; touch /made"]).output == b"hi\\n"
        session.changes()
        session.snapshot().close()

def limited(left, work):
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = [os.open("/dev/null", os.O_RDONLY)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/proc/self/fd"))) + 1 + left, usual[1]))
    try:
        while True:
            held.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        for _ in range(left):
            os.close(held.pop())
    try:
        work()
        return "works"
    except SessionLostError:
        return "blames the session"
    except SandboxError as error:
        return "Too many open files" if "Too many open files" in str(error) else str(error)
    finally:
        for each in held:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)

image = images.find("host")
with EmbeddedSandbox(ahead=int(sys.argv[1]), on_disk=sys.argv[2] == "disk") as sandbox:
    for _ in range(3):
        attempt(sandbox, image)
    for left in range(16):
        print(limited(left, lambda: attempt(sandbox, image)))
    attempt(sandbox, image)
    print("works")
"""


@pytest.mark.parametrize(("ahead", "upper"), [(0, "memory"), (32, "memory"), (0, "disk")])
def test_who_may_open_no_more_files_is_told_so(ahead: int, upper: str) -> None:
    command = [sys.executable, "-c", PROGRAM, str(ahead), upper]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert set(lines) == {"works", "Too many open files"}
    assert (lines[0], lines[-2:]) == ("Too many open files", ["works", "works"])
