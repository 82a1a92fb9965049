"""How message.hex was made. The machine's first state was thrown away."""

import sys

MULTIPLIER, STEP, SIZE = 1103515245, 12345, 2**31


def scramble(text: bytes, state: int) -> bytes:
    """Every letter is mixed with what a very long row of numbers comes to next."""
    mixed = bytearray()
    for letter in text:
        state = (MULTIPLIER * state + STEP) % SIZE
        mixed.append(letter ^ state & 0xFF)
    return bytes(mixed)


if __name__ == "__main__":
    print(scramble(sys.stdin.buffer.read(), int(sys.argv[1])).hex())
