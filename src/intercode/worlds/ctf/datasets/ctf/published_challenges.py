"""What is known of the published set of capture the flag beyond what is published; tables of it: docs/scoring.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_SERVICE = "its service is gone, and there is no network"
_PROGRAM = "its program has to be downloaded, and there is no network"

EXCLUDED: Mapping[int, str] = {
    1: "its disk image has to be downloaded, and there is no network",
    7: _PROGRAM,
    9: _SERVICE,
    16: _SERVICE,
    20: _SERVICE,
    28: _SERVICE,
    29: _SERVICE,
    35: _PROGRAM,
    39: _SERVICE,
    41: _SERVICE,
    42: _SERVICE,
    43: _SERVICE,
    54: _SERVICE,
    57: _SERVICE,
    59: "asks a `whois` server, and there is no network",
    62: _SERVICE,
    66: _SERVICE,
    73: _SERVICE,
    87: _SERVICE,
    88: _SERVICE,
    89: _SERVICE,
    95: _SERVICE,
}
"""Tasks that nobody can solve in a sandbox without a network, by number: can be played, and count in no score."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A flag that was published wrong, and what it should have been."""

    published: str
    flag: str
    reason: str


_CAPITALS = "hex in capitals, where the query asks for small letters"

CORRECTED: Mapping[int, Correction] = {
    15: Correction(
        r"picoCTF{1|/|_4_p34|\|ut_f3bc410e}",
        r"picoCTF{1|\/|_4_p34|\|ut_f3bc410e}",
        "a backslash was lost in JSON, which reads `\\/` as `/`",
    ),
    82: Correction("picoCTF{9C174346}", "picoCTF{9c174346}", _CAPITALS),
    83: Correction("picoCTF{5EE79C2B}", "picoCTF{5ee79c2b}", _CAPITALS),
    84: Correction("picoCTF{C1CC042C}", "picoCTF{c1cc042c}", _CAPITALS),
}
"""By number, as `exact` scoring has them."""

SETUP_LEFT_OUT: Mapping[int, str] = {
    1: "downloads the disk image",
    14: "clones binwalk by SSH; the image `ctf` has it",
}
"""Published set-up commands that need the network, and are not run."""

WITHOUT_FILES = frozenset({1, 9, 16, 17, 18, 19, 20, 22, 28, 29, 35, 39, 40, 41, 54, 90})
"""Tasks that are known to bring no files."""
