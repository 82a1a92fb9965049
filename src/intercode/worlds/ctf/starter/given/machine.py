"""A machine with one register. Runs the program in program.bin on the line that is typed.

Each instruction is two bytes: what to do, and with which number.
"""

import sys

LOAD, XOR, ADD, ROLL, WANT, END = range(0x10, 0x16)


def run(program: bytes, line: bytes) -> bool:
    """Whether the program is content with the line."""
    register = 0
    for at in range(0, len(program), 2):
        what, number = program[at], program[at + 1]
        if what == LOAD:
            register = line[number] if number < len(line) else 0
        elif what == XOR:
            register ^= number
        elif what == ADD:
            register = (register + number) % 256
        elif what == ROLL:
            register = (register << number | register >> 8 - number) % 256
        elif what == WANT and register != number:
            return False
        elif what == END:
            return len(line) == number
    return False


if __name__ == "__main__":
    with open("program.bin", "rb") as file:
        print("content" if run(file.read(), sys.stdin.readline().strip().encode()) else "not content")
