"""The filter of system calls: what a process of an episode may not ask of the kernel, as a program for seccomp.

The program goes to the zygote as the first message (helper/zygote.c) and binds every process of every episode
(helper/guard.c). seccomp(2) and filter.txt in the kernel's documentation describe what it consists of.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import platform
import socket
import struct
from dataclasses import dataclass
from typing import Literal

Machine = Literal["x86_64", "aarch64"]

REFUSED = """
clone3            435 435 ENOSYS  its flags lie in memory, out of a filter's sight; libc falls back to clone
keyctl            250 219 ENOSYS
add_key           248 217 ENOSYS
request_key       249 218 ENOSYS
io_uring_setup    425 425 ENOSYS
io_uring_enter    426 426 ENOSYS
io_uring_register 427 427 ENOSYS
io_setup          206 0   ENOSYS  its requests count against one limit for the whole machine
bpf               321 280 EPERM
perf_event_open   298 241 EPERM
userfaultfd       323 282 EPERM
unshare           272 97  EPERM
setns             308 268 EPERM
mount             165 40  EPERM
umount2           166 39  EPERM
pivot_root        155 41  EPERM
fsopen            430 430 EPERM
fspick            433 433 EPERM
fsmount           432 432 EPERM
fsconfig          431 431 EPERM
move_mount        429 429 EPERM
open_tree         428 428 EPERM
mount_setattr     442 442 EPERM
open_by_handle_at 304 265 EPERM
name_to_handle_at 303 264 EPERM
kexec_load        246 104 EPERM
kexec_file_load   320 294 EPERM
init_module       175 105 EPERM
finit_module      313 273 EPERM
delete_module     176 106 EPERM
swapon            167 224 EPERM
swapoff           168 225 EPERM
reboot            169 142 EPERM
syslog            103 116 EPERM
acct              163 89  EPERM
quotactl          179 60  EPERM
settimeofday      164 170 EPERM
clock_settime     227 112 EPERM
adjtimex          159 171 EPERM
clock_adjtime     305 266 EPERM
process_madvise   440 440 EPERM
mbind             237 235 EPERM
migrate_pages     256 238 EPERM
move_pages        279 239 EPERM
fanotify_init     300 262 EPERM
iopl              172 -   EPERM
ioperm            173 -   EPERM
modify_ldt        154 -   EPERM
mincore           27  232 ENOSYS  which pages of the machine's files are in memory tells what runs on it
cachestat         451 451 ENOSYS
"""
"""Name, numbers on x86-64 and aarch64, answer: ENOSYS where programs have a way round (they probe), else EPERM."""

TRACING = """
ptrace            101 117 EPERM   a process that is traced can be held back from ending, and so outlive its time
process_vm_readv  310 270 EPERM
process_vm_writev 311 271 EPERM
kcmp              312 272 EPERM
"""
"""The same, unless a session's `Limits.tracing` lets its programs trace each other."""

REFUSED_ARGUMENTS = f"""
ioctl              16  29  1 {0x5412}  TIOCSTI
ioctl              16  29  1 {0x541C}  TIOCLINUX
fcntl              72  25  1 {fcntl.F_SETLEASE}   on a file of the machine's /usr it would hold up who opens it outside
prlimit64          302 261 0 1
sched_setaffinity  203 122 0 1
sched_setattr      314 274 0 1
sched_setparam     142 118 0 1
sched_setscheduler 144 119 0 1
setpriority        141 140 1 1
setpriority        141 140 0 2      PRIO_USER
fadvise64          221 223 3 4      POSIX_FADV_DONTNEED: of a file of the machine's, to see who needs it next
madvise            28  233 2 21     MADV_PAGEOUT: likewise
ioprio_set         251 30  1 1
ioprio_set         251 30  0 3      all processes of a user
"""
"""Calls that get EPERM when one argument (its place, from 0) has one value. Process 1, the runner, has the same user as
the agent's root, who could else take its resources away."""

UNCOUNTED = """
memfd_create 319 279 ENOSYS
memfd_secret 447 447 ENOSYS
shmget       29  194 ENOSYS
semget       64  190 ENOSYS
msgget       68  186 ENOSYS
vmsplice     278 75  ENOSYS  a pipe keeps whole huge pages of which it shows a byte
"""
"""Refused besides where no control group counts what the kernel keeps for a session: memory that no process shows."""

UNCOUNTED_ARGUMENTS = f"""
fcntl  72 25  1 {fcntl.F_SETPIPE_SZ}   pipes are counted, as of the usual size
socket 41 198 2 33      DCCP, SCTP, UDP-Lite, MPTCP: what lies in their sockets is not shown
socket 41 198 2 132
socket 41 198 2 136
socket 41 198 2 262
"""

FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
"""The only kinds of socket."""

NAMESPACES = 0x10000000 | 0x00020000 | 0x20000000 | 0x40000000 | 0x08000000 | 0x04000000 | 0x02000000
"""clone's flags CLONE_NEWUSER, NEWNS, NEWPID, NEWNET, NEWIPC, NEWUTS and NEWCGROUP."""

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CALLS = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "clone": (56, 220),
    "mmap": (9, 222),
    "setsockopt": (54, 208),
    "ptrace": (101, 117),
}
_SETTING_OPTIONS = (0x4200, 0x4206, 21)  # PTRACE_SETOPTIONS, PTRACE_SEIZE, PTRACE_OLDSETOPTIONS
_TRACEEXIT = 0x40
_X32_CALLS = 0x40000000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # where struct seccomp_data has them
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_ALLOW, _KILL_PROCESS, _ANSWER = 0x7FFF0000, 0x80000000, 0x00050000


@dataclass(frozen=True, slots=True)
class Instruction:
    """One step of the program; `yes` and `no` say how many steps a jump leaves out."""

    code: int
    value: int
    yes: int = 0
    no: int = 0

    def encode(self) -> bytes:
        """As `struct sock_filter`."""
        return struct.pack("=HBBI", self.code, self.yes, self.no, self.value)


def rows(table: str) -> list[list[str]]:
    """Return the words of a table's rows, remarks left out."""
    width = 5 if table in (REFUSED_ARGUMENTS, UNCOUNTED_ARGUMENTS) else 4
    return [line.split()[:width] for line in table.splitlines() if line]


def program(machine: str | None = None, *, counted: bool = True, grouped: bool = False, tracing: bool = False) -> bytes:
    """Return the whole filter for *machine* (as `uname -m` calls it; this one when left out).

    Not *counted*: no control group holds the session's memory. *grouped*: its process 1 starts all others in a control
    group, for which it needs clone3; they are forbidden that by another filter (`forbid_clone3` in helper/guard.c).
    With *tracing* programs may trace each other, but not stop each other at the end: who is killed dies.
    """
    refused = [row for row in rows(REFUSED) if not (grouped and row[0] == "clone3")]
    arguments = rows(REFUSED_ARGUMENTS)
    if not tracing:
        refused += rows(TRACING)
    if not counted:
        refused += rows(UNCOUNTED)
        arguments += rows(UNCOUNTED_ARGUMENTS)
    name = machine or platform.machine()
    column = ("x86_64", "aarch64").index(name)
    steps = [
        Instruction(_LOAD, _ARCHITECTURE),
        Instruction(_EQUAL, _AUDIT[name], 1),
        Instruction(_RETURN, _KILL_PROCESS),  # 32-bit calls have other numbers
        Instruction(_LOAD, _NUMBER),
    ]
    if name == "x86_64":  # so have x32 calls
        steps += [Instruction(_AT_LEAST, _X32_CALLS, 0, 1), _answer(errno.ENOSYS)]
    for _, *numbers, word in refused:
        if numbers[column] != "-":
            steps += [Instruction(_EQUAL, int(numbers[column]), 0, 1), _answer(getattr(errno, word))]
    for _, *numbers, place, value in arguments:
        refusal = [Instruction(_EQUAL, int(value), 0, 1), _answer(errno.EPERM)]
        steps += _with_argument(int(numbers[column]), int(place), refusal)
    other = [Instruction(_EQUAL, family, len(FAMILIES) - i) for i, family in enumerate(FAMILIES)]
    for call in ("socket", "socketpair"):
        steps += _with_argument(_CALLS[call][column], 0, [*other, _answer(errno.EAFNOSUPPORT)])
    if not counted:
        steps += _with_argument(_CALLS["mmap"][column], 3, _SHARED_WITHOUT_NAME)
        steps += _with_argument(_CALLS["setsockopt"][column], 1, _BUFFERS_OF_SOCKETS)
    steps += _with_argument(_CALLS["clone"][column], 0, [Instruction(_ANY_BIT, NAMESPACES, 0, 1), _answer(errno.EPERM)])
    if tracing:
        steps += _with_argument(_CALLS["ptrace"][column], 0, _no_stop_at_the_end())
    return b"".join(step.encode() for step in (*steps, Instruction(_RETURN, _ALLOW)))


def _answer(error: int) -> Instruction:
    return Instruction(_RETURN, _ANSWER | error)


def _no_stop_at_the_end() -> list[Instruction]:
    """For ptrace, its request loaded: refuses those that set options and have the one for a stop at the end."""
    refusal = [
        Instruction(_LOAD, _FIRST_ARGUMENT + 8 * 3),
        Instruction(_ANY_BIT, _TRACEEXIT, 0, 1),
        _answer(errno.EPERM),
    ]
    *others, last = _SETTING_OPTIONS
    requests = [Instruction(_EQUAL, request, len(others) - i) for i, request in enumerate(others)]
    return [*requests, Instruction(_EQUAL, last, 0, len(refusal)), *refusal]


def _with_argument(number: int, place: int, steps: list[Instruction]) -> list[Instruction]:
    """Return *steps* over the low half of an argument of one call; for other calls they are jumped over."""
    block = [Instruction(_LOAD, _FIRST_ARGUMENT + 8 * place), *steps, Instruction(_LOAD, _NUMBER)]
    return [Instruction(_EQUAL, number, 0, len(block)), *block]


_SHARED_WITHOUT_NAME = [
    Instruction(_AND, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS),
    Instruction(_EQUAL, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, 0, 1),
    _answer(errno.EPERM),
]
"""Memory that stays when it is no longer mapped as a whole (`mmap`'s flags): not to be had where nobody counts it."""

_BUFFER_OPTIONS = (7, 8, 32, 33)
"""SO_SNDBUF, SO_RCVBUF and the same with FORCE."""

_BUFFERS_OF_SOCKETS = [
    Instruction(_EQUAL, socket.SOL_SOCKET, 0, 2 + len(_BUFFER_OPTIONS)),
    Instruction(_LOAD, _FIRST_ARGUMENT + 8 * 2),
    *(Instruction(_EQUAL, option, len(_BUFFER_OPTIONS) - 1 - i) for i, option in enumerate(_BUFFER_OPTIONS[:-1])),
    Instruction(_EQUAL, _BUFFER_OPTIONS[-1], 0, 1),
    _answer(0),
]
"""A wish for larger buffers is taken note of, as the kernel does with wishes for too much, and nothing is done."""
