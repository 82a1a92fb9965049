"""Unlocks what was bought, for whoever has the licence: four groups of four digits, such as 0123-4567-8901-2345."""

import hashlib
import json
import sys

PRIME = 10007


def is_valid(licence: str, wanted: "list[int]") -> bool:
    """A group is right when 5 to its power leaves the wanted rest."""
    groups = licence.split("-")
    if len(groups) != len(wanted) or not all(len(group) == 4 and group.isdigit() for group in groups):
        return False
    return all(pow(5, int(group), PRIME) == rest for group, rest in zip(groups, wanted))


def unlock(licence: str, locked: bytes) -> bytes:
    """What was locked with that licence."""
    key = hashlib.sha512(licence.encode()).digest()
    return bytes(letter ^ key[at % len(key)] for at, letter in enumerate(locked))


if __name__ == "__main__":
    with open("product.json") as file:
        product = json.load(file)
    licence = sys.argv[1] if len(sys.argv) > 1 else ""
    if is_valid(licence, product["wanted"]):
        print(unlock(licence, bytes.fromhex(product["locked"])).decode())
    else:
        print("this is no licence")
