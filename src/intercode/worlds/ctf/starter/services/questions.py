"""Asks forty sums, and tells the flag to whoever answers all of them within twenty seconds."""

import random
import sys
import time
from pathlib import Path

QUESTIONS, SECONDS = 40, 20


def main() -> None:
    """One player, from the first question to the flag, or to the first mistake."""
    dice = random.Random(Path("seed.txt").read_text())
    end = time.monotonic() + SECONDS
    print(f"{QUESTIONS} sums in {SECONDS} seconds. Answer each with a number and Enter.")
    for number in range(1, QUESTIONS + 1):
        a, b, c = (dice.randrange(2, 1000) for _ in range(3))
        print(f"{number}) {a} * {b} - {c} = ", end="", flush=True)
        answer = sys.stdin.readline().strip()
        if answer != str(a * b - c):
            sys.exit("that is wrong")
        if time.monotonic() > end:
            sys.exit("that took too long")
    print(Path("flag.txt").read_text())


if __name__ == "__main__":
    sys.stderr = sys.stdout
    main()
