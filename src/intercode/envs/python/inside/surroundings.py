"""What one who ran here may leave for the next, beside the files that the host looks at."""

import os

from intercode.envs.python.inside.forks import HEARD, SAID
from intercode.envs.python.inside.protocol import ANSWERS, ORDERS
from intercode.envs.python.inside.run_limited import read

FOLDERS = ("/", "/dev", "/dev/shm")
TABLES = ("/proc/net/dev", "/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg", "/proc/self/oom_score_adj")
"""What was sent over the network, whose ports may be closed for a while; shared memory; what a parent can be given."""


def surroundings() -> str:
    """A name for processes, devices, shared memory, the use of the network, and what others can set of this process."""
    import resource

    seen = [
        sorted(name for name in os.listdir("/proc") if name.isdigit()),
        [list_folder(folder) for folder in FOLDERS],
        [read(table) for table in TABLES],
        [resource.getrlimit(number) for number in range(resource.RLIMIT_RTTIME + 1)],
        [os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), sorted(os.sched_getaffinity(0))],
        [os.get_blocking(descriptor) for descriptor in (ORDERS, ANSWERS, HEARD, SAID)],
    ]
    return "%016x" % (hash(repr(seen)) & (2**64 - 1))


def list_folder(folder: str) -> "list[object]":
    """All that is known of it but when it was read, and what is in it; nothing where it is not there."""
    try:
        found = os.lstat(folder)
        about = [found.st_mode, found.st_uid, found.st_gid, found.st_mtime_ns, found.st_ctime_ns]
        return [*about, *sorted(os.listdir(folder))]
    except OSError:
        return []
