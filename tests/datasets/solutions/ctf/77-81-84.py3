"""Runs the instructions for ARM that a small program of gcc has, from its first function."""

import re
import sys
from glob import glob

FULL = 0xFFFFFFFF
code, labels = [], {}
for line in open(glob("chall*.S")[0]):
    if label := re.match(r"([.\w]+):", line):
        labels[label[1]] = len(code)
    elif found := re.match(r"\t(\w[\w.]*)\s*(.*)", line):
        code.append((found[1], re.findall(r"\[.*?\]|[^,\s]+", found[2])))
CONDITIONS = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "ls": lambda a, b: a <= b,
    "hi": lambda a, b: a > b, "cc": lambda a, b: a < b, "cs": lambda a, b: a >= b,
}  # fmt: skip


def signed(number):
    return number - (1 << 32) if number >> 31 else number


def call(name, argument):
    registers, frame, compared, at = {"w0": argument, "wzr": 0}, {}, (0, 0), labels[name]

    def value(place):
        return registers[place] if place in registers else int(place.lstrip("#"))

    while True:
        name, places = code[at]
        at += 1
        if name == "ret":
            return registers["w0"]
        if name == "bl":
            registers["w0"] = call(places[0], registers["w0"])
        elif name == "b" or (name[0] == "b" and CONDITIONS[name[1:]](*compared)):
            at = labels[places[0]]
        elif name == "str":
            frame[places[1]] = value(places[0])
        elif name == "ldr":
            registers[places[0]] = frame[places[1]]
        elif name == "cmp":
            compared = value(places[0]), value(places[1])
        elif name == "mov":
            registers[places[0]] = value(places[1])
        elif places[0][0] == "w":
            one, two = map(value, places[1:])
            registers[places[0]] = FULL & {
                "add": lambda: one + two, "sub": lambda: one - two, "and": lambda: one & two, "mul": lambda: one * two,
                "lsl": lambda: one << two, "lsr": lambda: one >> two, "udiv": lambda: one // two,
                "sdiv": lambda: int(signed(one) / signed(two)),
            }[name]()  # fmt: skip


first = next(name for name in labels if name.startswith("func"))
asked = re.search(r"argument (\d+)", sys.argv[1])
if asked:
    print("picoCTF{%08x}" % call(first, int(asked[1])))
else:  # for which argument it gives 0: it is taken from something at the end
    print("picoCTF{%08x}" % call(first, 0))
