"""Rules in their order."""

import re

from leaveout.translate import translate


class Rules:
    """Lines of patterns. A later rule overrides an earlier one; `!` before a pattern takes paths back in.

    Blank lines and lines that begin with `#` say nothing. A pattern that ends with a slash is for folders only. What is
    in a folder that is left out is left out, too, and cannot be taken back in.
    """

    def __init__(self, text):
        self._rules = []
        for line in text.splitlines():
            line = line.strip()
            if line and not line.startswith("#"):
                wanted = line.startswith("!")
                pattern = line.lstrip("!")
                self._rules.append((re.compile(translate(pattern)), pattern.endswith("/"), wanted))

    def leaves_out(self, path, is_folder=False):
        """Whether `path` is left out."""
        return self._verdict(path, is_folder)

    def _verdict(self, path, is_folder):
        verdict = False
        for expression, folders_only, wanted in self._rules:
            if folders_only and not is_folder:
                continue
            if expression.match(path):
                verdict = not wanted
        return verdict
