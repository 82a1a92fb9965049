"""A guest book whose memory is laid out by hand, as programs in C have it.

bytes  0 to 31   the guest's name
bytes 32 to 35   whether the guest may read the owner's page: 0 for no, 0x0b00b1e5 for yes
"""

import struct
import sys
from pathlib import Path

NAME, ROLE, OWNER = 0, 32, 0x0B00B1E5


def main() -> None:
    """One guest."""
    memory = bytearray(64)
    print("Your name, in hex if you like (0x...)?", flush=True)
    line = sys.stdin.buffer.readline().strip()
    name = bytes.fromhex(line[2:].decode()) if line.startswith(b"0x") else line
    memory[NAME : NAME + len(name)] = name  # copied as it comes
    (role,) = struct.unpack_from("<I", memory, ROLE)
    print(f"Welcome, {bytes(memory[NAME:ROLE]).rstrip(bytes(1)).decode('latin-1')}! Your role is {role:#010x}.")
    if role == OWNER:
        print(f"The owner's page: {Path('flag.txt').read_text()}")
    else:
        print("The owner's page is not for you.")


if __name__ == "__main__":
    main()
