"""What may differ between two executions of the same thing: clocks, process ids, commits, sizes."""

from __future__ import annotations

import re

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
_ZONE = r"(?:Z|UTC|[A-Z]{3,4}|[+-]\d{2}:?\d{2})"

KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("<time>", re.compile(rf"\b\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]{_CLOCK})?(?: ?{_ZONE}\b)?")),
    ("<time>", re.compile(rf"\b(?:{_DAY},? +)?{_MONTH} +\d{{1,2}}(?: +{_CLOCK})?(?: +{_ZONE}\b)?(?: +\d{{4}}\b)?")),
    ("<time>", re.compile(rf"\b{_CLOCK}(?: ?[AP]M\b)?")),
    ("<time>", re.compile(r"\b1[6-9]\d{8}(?:\.\d+)?\b")),
    ("<seconds>", re.compile(r"(?<=\bin )\d+\.\d+ ?s(?:econds)?\b")),
    ("<commit>", re.compile(r"(?<=^\[)[^\]\s]+ (?:\(root-commit\) )?[0-9a-f]{7,40}(?=\])", re.MULTILINE)),
    ("<process>", re.compile(r"^\[\d+\] +\d+$", re.MULTILINE)),
    ("<process>", re.compile(r"/proc/\d+\b")),
    ("<process>", re.compile(r"(?i:\b(?:pid|process)[ :=]+)\d+\b")),
    ("<process>", re.compile(r"^(?:\S+ +)?\d+(?= .*(?:\?|pts/\d+) )", re.MULTILINE)),
    ("<size>", re.compile(r"\b\d+(?:\.\d+)?[KMGT](?:i?B)?\b")),
    ("<size>", re.compile(r"^total \d+$", re.MULTILINE)),
    ("<size>", re.compile(r"^\d+(?=\t)", re.MULTILINE)),
)
"""What stands for what, in the order in which they are looked for."""


def normalised(text: str) -> str:
    """*text* with a word for each clock, duration, process id, commit and size, and one blank where there were more.

    Columns are filled up with blanks to the width of what stands in them.
    """
    for word, pattern in KINDS:
        text = pattern.sub(word, text)
    return re.sub(r" +", " ", text)
