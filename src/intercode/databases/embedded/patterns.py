"""Regular expressions of others: Python's may take for ever, and nobody can stop them but by ending their process.

What is harmless runs here; everything else runs in a process of its own, which ends itself when its time is over.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from contextlib import suppress
from functools import lru_cache
from typing import Any

STEPS = 1_000_000
"""What is let run here may take about so many steps at worst: some hundredths of a second."""

LARGEST = 64 << 20
"""Characters to which a replacement may grow."""

BRANCHING = re.compile(r"[*+?{|]")
REPEATED_GROUP = re.compile(r"\)[*+?{]")

HELPER = """
import json, re, resource, signal, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
signal.signal(signal.SIGALRM, signal.SIG_DFL)
for line in sys.stdin:
    pattern, text, new, seconds = json.loads(line)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    found = re.compile(pattern, re.IGNORECASE)
    answer = found.search(text) is not None if new is None else found.sub(new, text)
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(json.dumps(answer), flush=True)
"""


class Patterns:
    """One session's. The process begins with the first expression that needs it, and ends with `close`."""

    def __init__(self) -> None:
        self._helper: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def search(self, pattern: str, text: str, seconds: float) -> bool:
        """Whether *pattern* is found in *text*. Raises TimeoutError, and re.error for what is no pattern."""
        found = compiled(pattern)
        if is_harmless(pattern, text):
            return found.search(text) is not None
        return bool(self._ask(found.pattern, text, None, seconds))

    def replace(self, pattern: str, text: str, new: str, seconds: float) -> str:
        """*text* with *new* wherever *pattern* is found. Raises the same."""
        found = compiled(pattern)
        if (len(text) + 1) * len(new) > LARGEST:
            raise OverflowError("the result may be too large")
        return found.sub(new, text) if is_harmless(pattern, text) else str(self._ask(found.pattern, text, new, seconds))

    def close(self) -> None:
        """End the process."""
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.kill()
            helper.communicate()

    def _ask(self, pattern: str, text: str, new: str | None, seconds: float) -> Any:
        with self._lock:
            if self._helper is None:
                argv = [sys.executable, "-I", "-S", "-c", HELPER]
                self._helper = subprocess.Popen(
                    argv,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    start_new_session=True,  # a Ctrl-C at our terminal is not meant for it
                )
            asked, answers = self._helper.stdin, self._helper.stdout
            assert asked is not None
            assert answers is not None
            with suppress(BrokenPipeError):
                asked.write(json.dumps([pattern, text, new, max(0.01, seconds)]) + "\n")
                asked.flush()
            line = answers.readline()
        if not line:
            self.close()
            raise TimeoutError(f"it took longer than {seconds:.1f} s to look for {pattern[:80]}")
        return json.loads(line)


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """MySQL's *pattern* as Python's; capitals do not count. Raises re.error."""
    return re.compile(re.sub(r"\[\[:(<|>):\]\]", r"\\b", pattern), re.IGNORECASE)


def is_harmless(pattern: str, text: str) -> bool:
    """Whether it takes `STEPS` at most: one length of *text* for each place where the search may go on in two ways."""
    if REPEATED_GROUP.search(pattern):
        return False
    steps = 1
    for _ in range(len(BRANCHING.findall(pattern)) + 1):
        steps *= len(text) + 2
        if steps > STEPS:
            return False
    return True
