"""Where a command ended, in a container that only `docker exec` reaches: Bash is made to say it.

The shell that the engine starts waits for Bash, and holds the trap and the engine's own stream of errors. Bash finds
both below its parent's name in /proc, so none of its own descriptors is in use. A command with an EXIT trap of its own,
one that is killed, and one that becomes another program do not say it: the folder then stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from secrets import token_hex

from intercode_sandbox.docker.by_exec.process import execution

_SAY = 'unset BASH_ENV; trap \'printf "\\0{word}%s\\0" "$(pwd -P)" >/proc/$PPID/fd/9\' EXIT'


FIRST = "exec 9>&2; "
"""Shell text that comes before all else: the answer goes where no output goes, unless errors are separate."""

LONGEST = 8192
"""Bytes of an answer: a folder's path has at most 4096."""


class EndedIn:
    """The question, put into the script of one command, and the answer, cut out of its errors."""

    def __init__(self) -> None:
        self._word = f"w{token_hex(16)}"

    def script(self, argv: Sequence[str], env: Mapping[str, str]) -> str:
        """Shell text that runs *argv* with nothing but *env*, and has Bash say where it ends."""
        asked = {**env, "BASH_ENV": "/proc/$PPID/fd/7"}
        streams = "8>&2 2>/dev/null 7<<'END'"
        said = _SAY.format(word=self._word)
        return f"exec {streams}\n{said}\nEND\n({execution(argv, asked)} 2>&8 7<&- 8>&- 9>&-); exit $?"

    def split(self, output: bytes) -> tuple[bytes, str]:
        """Return *output* without the answer, and the folder; "" where there is none."""
        before, found, rest = output.rpartition(b"\0" + self._word.encode())
        folder, end, after = rest.partition(b"\0")
        if not (found and end):
            return output, ""
        return before + after, folder.decode("utf-8", "surrogateescape")
