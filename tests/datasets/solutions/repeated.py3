import re

data = bytes.fromhex(open("letter.hex").read())
start = b"dear anna"
for size in range(5, 9):
    key = bytes(data[at] ^ start[at] for at in range(size))
    text = bytes(letter ^ key[at % size] for at, letter in enumerate(data))
    if text.startswith(start) and (match := re.search(rb"intercode\{\w+\}", text)):
        print(match[0].decode())
        break
