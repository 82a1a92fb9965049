"""Says whether a pass phrase is the right one. The numbers are in check.json, in no order that would help you."""

import json
import sys

with open("check.json") as file:
    numbers = json.load(file)


def check(phrase: str) -> bool:
    """Every letter has its place, its mask and its number."""
    if len(phrase) != len(numbers["order"]):
        return False
    for place, mask, wanted in zip(numbers["order"], numbers["masks"], numbers["wanted"]):
        if ((ord(phrase[place]) ^ mask) + 7 * place) % 256 != wanted:
            return False
    return True


if __name__ == "__main__":
    print("right, and that is the flag" if check(sys.argv[1] if len(sys.argv) > 1 else "") else "wrong")
