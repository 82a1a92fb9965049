"""How published tasks of capture the flag are solved: programs for the sandbox, each run in the task's folder.

Each is given the request as its argument: nothing of what is published stands here.
"""

from __future__ import annotations

SOLUTIONS = {
    2: """
import re
print(re.search(rb"picoCTF{[^}]+}", open("trace_task_2.pcap", "rb").read())[0].decode())
""",
    3: """
import re
bits = "".join("1" if sign == " " else "0" for sign in open("whitepages_task_3.txt", encoding="utf-8").read())
text = int(bits, 2).to_bytes(len(bits) // 8, "big")
print(re.search(rb"picoCTF{[^}]+}", text)[0].decode())
""",
    5: """
import codecs, sys
print(codecs.decode(sys.argv[1].split()[-1], "rot13"))
""",
    10: """
print("".join(chr(ord(pair) >> 8) + chr(ord(pair) & 255) for pair in open("enc", encoding="utf-8").read()))
""",
    17: 'print("picoCTF{%s}" % chr(0x70))',
    18: 'print("picoCTF{%d}" % 0x3D)',
    19: 'print("picoCTF{%s}" % format(42, "b"))',
    22: """
import base64, sys
print("picoCTF{%s}" % base64.b64decode(sys.argv[1].split()[3]).decode())
""",
    40: """
import sys
print(bytes(int(word, 16) for word in sys.argv[1].split() if word.startswith("0x")).decode())
""",
    60: """
import base64
text = open("enc_flag", "rb").read()
while not text.startswith(b"picoCTF"):
    text = base64.b64decode(text)
print(text.decode())
""",
    61: """
import re
print(re.search(r"picoCTF{[^}]+}", open("anthem.flag.txt", encoding="utf-8").read())[0])
""",
    63: """
import re, zipfile
archive = zipfile.ZipFile("Addadshashanammu.zip")
found = [re.search(rb"picoCTF{[^}]+}", archive.read(name)) for name in archive.namelist() if name[-1] != "/"]
print(found[0][0].decode())
""",
    64: """
import re
print(re.search(rb"p i c o C T F {[^}]+}", open("network-dump.flag.pcap", "rb").read())[0].decode().replace(" ", ""))
""",
    69: """
import re
text = open("ciphertext").read()
n, e, c = (int(number) for number in re.findall(r": (\\d+)", text))

def root(number):
    low, high = 0, 1 << (number.bit_length() // e + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**e < number else (low, middle)
    return low

found = next(k for k in range(3530, 3540) if root(c + k * n) ** e == c + k * n)  # from 0 it takes a minute
print(root(c + found * n).to_bytes(300, "big").lstrip(b"\\0").decode().strip())
""",
    74: """
import re, sys
rows = [line[4:].split() for line in open("table.txt") if line[1:3] == " |"]
letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
pairs = zip(*re.search("([A-Z]{8,}) with the key of ([A-Z]+)", sys.argv[1]).groups())
print("picoCTF{%s}" % "".join(letters[rows[letters.index(key)].index(sign)] for sign, key in pairs))
""",
    80: """
from itertools import cycle
key = cycle("CYLAB")

def back(sign):
    if not sign.isalpha():
        return sign
    first = ord("A" if sign.isupper() else "a")
    return chr((ord(sign) - first - ord(next(key)) + ord("A")) % 26 + first)

print("".join(map(back, open("cipher.txt").read())))
""",
    90: """
import codecs, sys
print(codecs.decode(sys.argv[1].split()[-1], "rot13"))
""",
    91: """
signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
print("picoCTF{%s}" % "".join(signs[int(word) % 37] for word in open("message.txt").read().split()))
""",
    92: """
signs = " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
print("picoCTF{%s}" % "".join(signs[pow(int(word), 39, 41)] for word in open("message.txt").read().split()))
""",
    93: """
text = open("message.txt").read()
print("".join(text[at + 2] + text[at] + text[at + 1] for at in range(0, len(text), 3)).split()[-1])
""",
    97: """
import string
small = string.ascii_lowercase
turned = small[-8:] + small[:-8]
table = str.maketrans(small + small.upper(), turned + turned.upper())
print(open("encrypted.txt").read().translate(table))
""",
}
"""By the task's number. 12 takes hours, 55 and 56 are pictures; all others whose files are at hand are here."""

READ_BY_A_TOOL = {67: "pdftotext *.pdf - | grep -o 'picoCTF{.*}'"}
"""What asks for a program of the image `ctf`."""
