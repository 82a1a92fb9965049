import pathlib
import re
import zlib

for path in pathlib.Path("shop/.git/objects").rglob("*"):
    if path.is_file():
        if match := re.search(rb"key = (intercode\{.*?\})", zlib.decompress(path.read_bytes())):
            print(match[1].decode())
