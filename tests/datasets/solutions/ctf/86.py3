"""A key of less than 15 letters hides hexadecimal digits, each in two letters that only some keys lead back to."""

import string
import re
import sys

letters = string.ascii_lowercase[:16]
hidden = [letters.index(sign) for sign in max(re.findall(r"[a-p]+", sys.argv[1]), key=len)]
good = {divmod(ord(sign), 16) for sign in "abcdef0123456789"}


def keys(length, key=()):
    """All keys of that *length* that lead back to digits, letter by letter."""
    if len(key) == length:
        yield key
        return
    for letter in range(16):
        longer = (*key, letter)
        if all(
            ((hidden[at] - longer[at % length]) % 16, (hidden[at + 1] - longer[(at + 1) % length]) % 16) in good
            for at in range(0, len(hidden), 2)
            if max(at % length, (at + 1) % length) == len(key) and min(at % length, (at + 1) % length) <= len(key)
        ):
            yield from keys(length, longer)


for length in range(1, 15):
    for key in keys(length):
        digits = [(sign - key[at % length]) % 16 for at, sign in enumerate(hidden)]
        print("picoCTF{%s}" % "".join(chr(16 * one + two) for one, two in zip(digits[::2], digits[1::2])))
