import re
import socket
import sys

host, port = re.search(r"nc (\S+) (\d+)", sys.argv[1]).groups()
with socket.create_connection((host, int(port)), timeout=10) as line:
    print(line.makefile().read())
