"""Cryptography: old mistakes."""

from __future__ import annotations

import json
from random import Random

from intercode.datasets.challenges import WORDS, Challenge
from intercode.worlds.ctf.starter import ChallengeRecipe, given
from intercode.worlds.ctf.starter.numbers import next_prime, prime

MULTIPLIER, STEP, SIZE = 1103515245, 12345, 2**31
"""The row of numbers in `given/scramble.py`."""


def repeated(dice: Random, flag: str) -> Challenge:
    """A text under a short key, over and over."""
    key = bytes(dice.randrange(1, 256) for _ in range(dice.randrange(5, 9)))
    words = " ".join(dice.choice(WORDS) for _ in range(30))
    text = f"dear anna, {words}. the flag is {flag} as always. {words[::-1]}".encode()
    mixed = bytes(letter ^ key[at % len(key)] for at, letter in enumerate(text))
    return Challenge(flag, files={"letter.hex": mixed.hex().encode() + b"\n"})


def small_exponent(dice: Random, flag: str) -> Challenge:
    """RSA with the exponent 3 and nothing around the message, whose cube is smaller than the modulus."""
    message = int.from_bytes(flag.encode(), "big")
    bits = message.bit_length() * 3 // 2 + 16
    modulus = prime(dice, bits) * prime(dice, bits)
    return Challenge(flag, files={"message.json": _json(n=modulus, e=3, c=pow(message, 3, modulus))})


def close_primes(dice: Random, flag: str) -> Challenge:
    """RSA with two primes that are neighbours, almost."""
    message = int.from_bytes(flag.encode(), "big")
    first = prime(dice, message.bit_length() // 2 + 16)
    second = next_prime(first + 2 * dice.getrandbits(20))
    modulus = first * second
    return Challenge(flag, files={"message.json": _json(n=modulus, e=65537, c=pow(message, 65537, modulus))})


def scrambled(dice: Random, flag: str) -> Challenge:
    """A text mixed with the lowest bytes of a linear congruential generator."""
    state, mixed = dice.randrange(SIZE), bytearray()
    for letter in f"flag: {flag}\n".encode():
        state = (MULTIPLIER * state + STEP) % SIZE
        mixed.append(letter ^ state & 0xFF)
    files = {"scramble.py": given("scramble.py"), "message.hex": mixed.hex().encode() + b"\n"}
    return Challenge(flag, files=files)


def _json(**numbers: int) -> bytes:
    return json.dumps(numbers).encode() + b"\n"


RECIPES = (
    ChallengeRecipe(
        "repeated",
        "medium",
        "letter.hex is a letter in English, in hex, each byte mixed (xor) with a key of a few bytes, over and over. "
        "What is the flag in it?",
        repeated,
    ),
    ChallengeRecipe(
        "small-exponent",
        "easy",
        "message.json holds an RSA key and a message under it, without padding. As bytes the message is the flag.",
        small_exponent,
    ),
    ChallengeRecipe(
        "close-primes",
        "medium",
        "message.json holds an RSA key and a message under it. Whoever made the key saved time in finding the second "
        "prime. As bytes the message is the flag.",
        close_primes,
    ),
    ChallengeRecipe("scrambled", "medium", "message.hex was made by scramble.py. What was the message?", scrambled),
)
