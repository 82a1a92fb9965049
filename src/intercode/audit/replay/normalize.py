"""What may differ between two executions of the same thing: clocks, process ids, commits, sizes.

Numbers are forgiven where a known program prints them, in its own form: any other number is an answer.
"""

from __future__ import annotations

import re

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
_ZONE = r"(?:Z|UTC|[A-Z]{3,4}|[+-]\d{2}:?\d{2})"
_SIZE = r"\d+(?:\.\d+)?(?:[KMGT]i?|B)?"
_TERMINAL = r"(?:\?|pts/\d+)"

KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("<time>", re.compile(rf"\b\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]{_CLOCK})?(?: ?{_ZONE}\b)?")),
    ("<time>", re.compile(rf"\b(?:{_DAY},? +)?{_MONTH} +\d{{1,2}}(?: +{_CLOCK})?(?: +{_ZONE}\b)?(?: +\d{{4}}\b)?")),
    ("<time>", re.compile(rf"\b{_CLOCK}(?: ?[AP]M\b)?")),
    ("<time>", re.compile(r"\b1[6-9]\d{8}(?:\.\d+)?\b")),
    ("<time>", re.compile(r"\b20[2-9]\d(?:0[1-9]|1[0-2])[0-3]\d[0-2]\d[0-5]\d[0-6]\d\b")),
    (r"\1<seconds>", re.compile(r"^(real|user|sys)\s+\d+m\d+\.\d+s$", re.MULTILINE)),
    ("<seconds>", re.compile(r"(?<=\bin )\d+\.\d+ ?s(?:econds)?\b")),
    ("<seconds>", re.compile(r"(?<= copied, )\S+ s, \S+ [kMGT]?B/s$", re.MULTILINE)),
    ("<load>", re.compile(r"(?<=\bload average: )\d+\.\d+, \d+\.\d+, \d+\.\d+$", re.MULTILINE)),
    ("<load>", re.compile(r"^\d+\.\d\d \d+\.\d\d \d+\.\d\d \d+/\d+ \d+$", re.MULTILINE)),
    ("<commit>", re.compile(r"(?<=^\[)[^\]\s]+ (?:\(root-commit\) )?[0-9a-f]{7,40}(?=\])", re.MULTILINE)),
    ("<commit>", re.compile(r"(?<=^commit )[0-9a-f]{40}\b", re.MULTILINE)),
    ("<commit>", re.compile(r"^(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7}(?= )", re.MULTILINE)),
    ("<process>", re.compile(r"^\[\d+\] +\d+$", re.MULTILINE)),
    ("<process>", re.compile(r"/proc/\d+\b")),
    ("<process>", re.compile(r"(?i:\b(?:pid|process)[ :=]+)\d+\b")),
    (r"\1 <process>", re.compile(rf"^(\S+) +\d+ +\d+\.\d +\d+\.\d +\d+ +\d+(?= +{_TERMINAL} )", re.MULTILINE)),
    (r"\1 <process>", re.compile(rf"^(\S+) +\d+ +\d+ +\d+(?= +<time> +{_TERMINAL} )", re.MULTILINE)),
    ("<process>", re.compile(rf"^ *\d+(?= +{_TERMINAL} +(?:\S+ +)?<time> )", re.MULTILINE)),
    ("<device>", re.compile(r"(?<=^Device: )\S+", re.MULTILINE)),
    ("<size>", re.compile(rf"{_SIZE}(?: +{_SIZE}){{2}} +(?:\d+%|-)(?= +/)")),
    (r"\1: <size>", re.compile(rf"^(Mem|Swap|Total):(?: +{_SIZE}){{3,6}}$", re.MULTILINE)),
    ("<size>", re.compile(r"\b\d+ kB$", re.MULTILINE)),
    ("<size>", re.compile(r"\b\d+(?:\.\d+)?[KMGT](?= +<time>)")),
    (r"total <size>", re.compile(rf"^total {_SIZE}$", re.MULTILINE)),
    ("<size>", re.compile(r"^\d+(?:\.\d+)?[KMGT](?=\t)|^\d+(?=\t(?:[./~]|total$))", re.MULTILINE)),
)
"""What stands for what, in the order in which they are looked for."""


def normalize(text: str) -> str:
    """*text* with a word for each clock, duration, process id, commit and size, and one blank where there were more.

    Columns are filled up with blanks to the width of what stands in them.
    """
    for word, pattern in KINDS:
        text = pattern.sub(word, text)
    return re.sub(r" +", " ", text)
