"""Runs the program as if on the system named first (Darwin or Windows): what only others have is hidden.

Modules cannot be imported, and functions and constants of `os`, `signal` and `socket` are not there. That is no proof
that the program runs on that system, only that it needs nothing that is known to be missing there.
"""

from __future__ import annotations

import os
import platform
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import SimpleNamespace

import gymnasium
import platformdirs
import psutil

LOADED_BEFORE = (gymnasium, platformdirs, psutil, shutil, subprocess, tempfile)
"""What looks itself at which system this is, and is not ours."""

NEITHER = {os: ("O_PATH", "O_TMPFILE", "pidfd_open", "sched_getaffinity", "pipe2", "memfd_create", "getxattr")}
MODULES = ("fcntl", "resource", "pty", "termios", "tty", "pwd", "grp", "readline", "syslog")
NOT_ON_WINDOWS = {
    os: ("O_CLOEXEC", "O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "geteuid", "getuid", "getgid", "getegid", "fork",
         "killpg", "setsid", "uname", "chown", "mkfifo", "waitstatus_to_exitcode"),
    signal: ("SIGHUP", "SIGKILL", "SIGALRM", "setitimer", "pthread_sigmask"),
    socket: ("AF_UNIX", "SOCK_SEQPACKET", "SO_PEERCRED", "SO_PASSCRED"),
}  # fmt: skip


class Hidden:
    """Finds no module of `MODULES`, whoever else could."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def main() -> None:
    system = sys.argv.pop(1)
    subprocess.__dict__["signal"] = SimpleNamespace(**vars(signal))  # here it needs more of it than there
    hidden = NEITHER if system == "Darwin" else {**NOT_ON_WINDOWS, os: NEITHER[os] + NOT_ON_WINDOWS[os]}
    for module, names in hidden.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    if system == "Windows":
        for name in MODULES:
            sys.modules.pop(name, None)
        sys.meta_path.insert(0, Hidden())
    platform.system = lambda: system
    runpy.run_module("intercode", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
