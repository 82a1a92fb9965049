"""Reverse engineering: programs that know the flag and do not tell it."""

from __future__ import annotations

import hashlib
import json
from random import Random

from intercode.datasets.challenges import Challenge
from intercode.worlds.ctf.starter import ChallengeRecipe, given

LOAD, XOR, ADD, ROLL, WANT, END = range(0x10, 0x16)
"""The instructions of `given/machine.py`."""

PRIME = 10007
"""5 is a generator: its powers up to the 10006th all differ."""


def checker(dice: Random, flag: str) -> Challenge:
    """A checker with a mask for each letter, in a shuffled order."""
    order = dice.sample(range(len(flag)), len(flag))
    masks = [dice.randrange(256) for _ in flag]
    wanted = [((ord(flag[place]) ^ mask) + 7 * place) % 256 for place, mask in zip(order, masks, strict=True)]
    numbers = json.dumps({"order": order, "masks": masks, "wanted": wanted})
    return Challenge(flag, files={"check.py": given("check.py"), "check.json": numbers.encode()})


def machine(dice: Random, flag: str) -> Challenge:
    """The same by a program for a small machine, with three random steps for each letter."""
    code = bytearray()
    for place in dice.sample(range(len(flag)), len(flag)):
        register = ord(flag[place])
        code += bytes((LOAD, place))
        for _ in range(3):
            what, number = dice.choice((XOR, ADD, ROLL)), dice.randrange(1, 8)
            number = number if what == ROLL else dice.randrange(256)
            code += bytes((what, number))
            register = _step(register, what, number)
        code += bytes((WANT, register))
    code += bytes((END, len(flag)))
    return Challenge(flag, files={"machine.py": given("machine.py"), "program.bin": bytes(code)})


def _step(register: int, what: int, number: int) -> int:
    if what == XOR:
        return register ^ number
    if what == ADD:
        return (register + number) % 256
    return (register << number | register >> 8 - number) % 256


def licence(dice: Random, flag: str) -> Challenge:
    """A product that is locked with a licence, which the program can check."""
    groups = [dice.randrange(10000) for _ in range(4)]
    key = hashlib.sha512("-".join(f"{group:04d}" for group in groups).encode()).digest()
    locked = bytes(letter ^ key[at % len(key)] for at, letter in enumerate(flag.encode()))
    product = {"wanted": [pow(5, group, PRIME) for group in groups], "locked": locked.hex()}
    return Challenge(flag, files={"licence.py": given("licence.py"), "product.json": json.dumps(product).encode()})


RECIPES = (
    ChallengeRecipe("checker", "easy", "check.py knows whether a flag is right. Which one is?", checker),
    ChallengeRecipe(
        "machine",
        "hard",
        "machine.py runs program.bin, which is content with one line only: the flag.",
        machine,
    ),
    ChallengeRecipe("licence", "medium", "licence.py shows the flag to whoever has a licence. You have none.", licence),
)
