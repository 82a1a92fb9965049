import re
import socket
import sys

from morse import MORSE_CODE_DICT

signs = {code: sign for sign, code in MORSE_CODE_DICT.items()}
host, port = re.search(r"nc (\S+) (\d+)", sys.argv[1]).groups()
with socket.create_connection((host, int(port)), timeout=10) as line:
    print("picoCTF{%s}" % "".join(signs[code] for code in line.makefile().read().split()))
