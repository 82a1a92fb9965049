"""A zlib stream (RFC 1950, 1951) whose bytes depend on no version of zlib: one block, fixed codes, no repetitions.

Unlike a stored block it does not show its text to `grep`.
"""

from __future__ import annotations

import struct
import zlib

HEADER = b"\x78\x01"


def deflate(data: bytes) -> bytes:
    """*data* as `zlib.decompress` wants it."""
    last_block, fixed_codes, end = "1", "10", "0000000"  # as they lie in the stream, lowest bit first
    bits = last_block + fixed_codes + "".join(_code(letter) for letter in data) + end
    bits = bits.ljust(-(-len(bits) // 8) * 8, "0")
    body = bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))
    return HEADER + body + struct.pack(">I", zlib.adler32(data))


def _code(letter: int) -> str:
    """Section 3.2.6: eight bits from 00110000 on, and nine from 110010000 on for the upper letters."""
    return f"{0x30 + letter:08b}" if letter < 144 else f"{0x190 + letter - 144:09b}"
