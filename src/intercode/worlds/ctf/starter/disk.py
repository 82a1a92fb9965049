"""A floppy disk's image: FAT12, 1440 sectors of 512 bytes, after Microsoft's specification of FAT (1.03)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from random import Random

SECTOR, SECTORS, FAT_SECTORS, ROOT_ENTRIES = 512, 1440, 3, 112
DATA = 1 + 2 * FAT_SECTORS + ROOT_ENTRIES * 32 // SECTOR
"""The first sector of the data; a cluster is one sector, and the first is number 2."""

DAY, TIME = (2024 - 1980) << 9 | 3 << 5 | 1, 10 << 11


def fat12(dice: Random, files: Mapping[str, bytes], deleted: tuple[str, bytes]) -> bytes:
    """A disk with *files*, and one that was deleted: its entry and its data are there, its chain of clusters is not."""
    image = bytearray(SECTOR * SECTORS)
    image[:62] = _boot_sector(dice)
    image[510:512] = b"\x55\xaa"
    fat = [0xFF0, 0xFFF] + [0] * (SECTORS - DATA)
    order = [*files.items(), deleted]
    dice.shuffle(order)
    entries, cluster = b"", 2 + dice.randrange(100)
    for name, content in order:
        count = -(-len(content) // SECTOR)
        begin = SECTOR * (DATA + cluster - 2)
        image[begin : begin + len(content)] = content
        gone = (name, content) == deleted
        if not gone:
            fat[cluster : cluster + count] = [*range(cluster + 1, cluster + count), 0xFFF]
        entries += _entry(name, cluster, len(content), gone)
        cluster += count + dice.randrange(1, 9)
    for start in (1, 1 + FAT_SECTORS):
        image[SECTOR * start : SECTOR * start + SECTOR * FAT_SECTORS] = _pack_entries(fat)
    root = SECTOR * (1 + 2 * FAT_SECTORS)
    image[root : root + len(entries)] = entries
    return bytes(image)


def _boot_sector(dice: Random) -> bytes:
    shape = struct.pack("<HBHBHHBHHHII", SECTOR, 1, 1, 2, ROOT_ENTRIES, SECTORS, 0xF9, FAT_SECTORS, 9, 2, 0, 0)
    extended = struct.pack("<BBBI11s8s", 0, 0, 0x29, dice.getrandbits(32), b"LETTERS    ", b"FAT12   ")
    return b"\xeb\x3c\x90" + b"INTERCOD" + shape + extended


def _entry(name: str, cluster: int, size: int, gone: bool) -> bytes:
    stem, _, ending = name.partition(".")
    short = f"{stem:<8}{ending:<3}".encode()
    short = b"\xe5" + short[1:] if gone else short
    return struct.pack("<11sBBBHHHHHHHI", short, 0x20, 0, 0, TIME, DAY, DAY, 0, TIME, DAY, cluster, size)


def _pack_entries(fat: list[int]) -> bytes:
    """Twelve bits an entry, two entries in three bytes."""
    pairs = zip(fat[::2], [*fat[1::2], 0], strict=False)
    data = b"".join(bytes((a & 0xFF, a >> 8 | (b & 0xF) << 4, b >> 4)) for a, b in pairs)
    return data[: SECTOR * FAT_SECTORS].ljust(SECTOR * FAT_SECTORS, b"\0")
