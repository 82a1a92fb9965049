"""Forensics: what was sent, deleted, painted over or taken back."""

from __future__ import annotations

import bz2
import hashlib
import struct
from random import Random

from intercode.datasets.challenges import WORDS, Challenge
from intercode.worlds.ctf.starter import ChallengeRecipe
from intercode.worlds.ctf.starter.deflate import deflate
from intercode.worlds.ctf.starter.disk import fat12
from intercode.worlds.ctf.starter.packets import capture


def wire(dice: Random, flag: str) -> Challenge:
    """A capture of several talks; in one the flag goes by in small segments, out of order and some twice."""
    return Challenge(flag, files={"capture.pcap": capture(dice, f"the flag is {flag}\n".encode())})


def deleted(dice: Random, flag: str) -> Challenge:
    """A floppy disk from which a compressed letter was deleted."""
    files = {f"{word[:8].upper()}.TXT": _chatter(dice).encode() for word in dice.sample(WORDS, 5)}
    letter = bz2.compress(f"{_chatter(dice)}\nThe flag: {flag}\n".encode())
    return Challenge(flag, files={"floppy.img": fat12(dice, files, ("LETTER.BZ2", letter))})


def picture(dice: Random, flag: str) -> Challenge:
    """A bitmap whose lowest bits of blue, row by row from the bottom as the format has them, spell the flag."""
    width = height = 64
    bits = [letter >> at & 1 for letter in flag.encode() + b"\0" for at in range(7, -1, -1)]
    pixels = bytearray()
    for at in range(width * height):
        x, y = at % width, at // width
        blue = (3 * x + y + dice.randrange(4)) % 256
        blue = blue & 0xFE | bits[at] if at < len(bits) else blue
        pixels += bytes((blue, (x + 2 * y) % 256, 255 - 3 * y))
    file = struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54)
    shape = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    return Challenge(flag, files={"sunset.bmp": file + shape + bytes(pixels)})


def history(dice: Random, flag: str) -> Challenge:
    """A git repository in which a key was committed, and taken out again."""
    first, second = f"key = {flag}\n", "key = ask Anna\n"
    objects: dict[str, bytes] = {}
    parent = ""
    for number, (text, what) in enumerate(
        [(_chatter(dice) + "\n", "Begin"), (first, "Settings"), (second, "No keys in here, please")]
    ):
        name = "readme.txt" if number == 0 else "settings.ini"
        blob = _object(objects, "blob", text.encode())
        tree = _object(objects, "tree", f"100644 {name}\0".encode() + bytes.fromhex(blob))
        parent = _object(objects, "commit", _commit(tree, parent, 1_700_000_000 + 3600 * number, what))
    git = {"HEAD": b"ref: refs/heads/main\n", "refs/heads/main": f"{parent}\n".encode(), "config": CONFIG, **objects}
    files = {f"shop/.git/{path}": data for path, data in git.items()}
    return Challenge(flag, files={**files, "shop/settings.ini": second.encode()})


CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"


def _object(objects: dict[str, bytes], kind: str, content: bytes) -> str:
    """Add a git object to *objects*; its name. The same bytes with every version of zlib."""
    whole = f"{kind} {len(content)}\0".encode() + content
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    objects[f"objects/{name[:2]}/{name[2:]}"] = deflate(whole)
    return name


def _commit(tree: str, parent: str, seconds: int, what: str) -> bytes:
    who = f"Anna <anna@example.org> {seconds} +0000"
    above = f"parent {parent}\n" if parent else ""
    return f"tree {tree}\n{above}author {who}\ncommitter {who}\n\n{what}\n".encode()


def _chatter(dice: Random) -> str:
    return " ".join(dice.choice(WORDS) for _ in range(60))


RECIPES = (
    ChallengeRecipe(
        "wire",
        "medium",
        "capture.pcap holds some minutes of a small network. In one talk a note was handed over that holds the flag.",
        wire,
    ),
    ChallengeRecipe(
        "deleted",
        "hard",
        "floppy.img is the image of a floppy disk (FAT12). A letter was deleted from it, and nothing written since.",
        deleted,
    ),
    ChallengeRecipe(
        "picture",
        "medium",
        "sunset.bmp shows more than a sunset: look at the lowest bits of one of its colours, in the file's own order.",
        picture,
    ),
    ChallengeRecipe(
        "history", "easy", "Somebody committed a key to the repository shop, and took it out again.", history
    ),
)
