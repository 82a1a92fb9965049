"""General skills: reading much, decoding, searching, and talking to a program."""

from __future__ import annotations

import base64
from itertools import pairwise
from random import Random

from intercode.datasets.challenges import WORDS, Challenge, new_flag
from intercode.worlds.ctf.starter import ChallengeRecipe, connections

CODES = (base64.b64encode, base64.b32encode, base64.b16encode)

ODD_NAMES = ("-r", "a b", "...", ".hidden", "*", "it's", "--help", "$HOME", "caf\u00e9", "\\n")


def badges(dice: Random, flag: str) -> Challenge:
    """A journal of badges given out and taken back; one was not taken back."""
    numbers = dice.sample(range(1000, 10000), 120)
    valid = dice.choice(numbers)
    entries = [f"badge {number} given out, code {flag if number == valid else new_flag(dice)}" for number in numbers]
    taken_back = [f"badge {number} taken back" for number in numbers if number != valid]
    seen = [f"badge {dice.choice(numbers)} seen at door {dice.randrange(1, 9)}" for _ in range(2000)]
    dice.shuffle(entries)
    later = [*taken_back, *seen]
    dice.shuffle(later)
    lines = [f"{at:05d} {what}" for at, what in enumerate([*entries, *later], 1)]
    return Challenge(flag, files={"journal.txt": "\n".join(lines).encode() + b"\n"})


def layers(dice: Random, flag: str) -> Challenge:
    """The flag, encoded several times over."""
    data = flag.encode()
    for _ in range(dice.randrange(7, 11)):
        data = dice.choice(CODES)(data)
    return Challenge(flag, files={"message.txt": data + b"\n"})


def torn(dice: Random, flag: str) -> Challenge:
    """The flag in eight pieces, in a tree of folders with odd names."""
    cuts = [0, *sorted(dice.sample(range(1, len(flag)), 7)), len(flag)]
    pieces = [f"piece {at} of 8: {flag[begin:end]}\n" for at, (begin, end) in enumerate(pairwise(cuts), 1)]
    places = [f"house/{_room(dice)}/{_room(dice)}/{dice.choice(ODD_NAMES)}" for _ in range(60)]
    places = dice.sample(sorted(set(places)), 40)
    chatter = [f"{dice.choice(WORDS)} {dice.choice(WORDS)}\n" for _ in places[len(pieces) :]]
    texts = [*pieces, *chatter]
    return Challenge(flag, files={place: text.encode() for place, text in zip(places, texts, strict=True)})


def _room(dice: Random) -> str:
    return dice.choice(("", ".")) + dice.choice(WORDS) + dice.choice(("", " ", "-", "'s"))


def questions(dice: Random, flag: str) -> Challenge:
    """A service that asks faster than people answer."""
    note = b"The examiner sits at examiner, port 4000. Talk to it over TCP.\n"
    service = connections("examiner", 4000, "questions.py", flag, seed=str(dice.getrandbits(64)))
    return Challenge(flag, files={"note.txt": note}, service=service)


RECIPES = (
    ChallengeRecipe(
        "badges",
        "easy",
        "journal.txt tells of every badge that was given out, seen at a door or taken back. All badges but one were "
        "taken back. The flag is the code of that one.",
        badges,
    ),
    ChallengeRecipe(
        "layers", "easy", "message.txt was encoded many times over, in base 64, 32 or 16. What does it say?", layers
    ),
    ChallengeRecipe(
        "torn",
        "medium",
        "The flag was torn into eight pieces, and each is in a file somewhere below the folder house. A piece says "
        "which it is. Put them together.",
        torn,
    ),
    ChallengeRecipe(
        "examiner",
        "medium",
        "The program at examiner, port 4000 (TCP), asks forty sums, and gives the flag to whoever answers all of them "
        "in twenty seconds.",
        questions,
    ),
)
