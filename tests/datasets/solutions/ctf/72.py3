import re
import string
import sys

letters = string.ascii_lowercase[:16]
hidden = max(re.findall(r"[a-p]+", sys.argv[1]), key=len)
for key in range(16):
    digits = ["%x" % ((letters.index(sign) - key) % 16) for sign in hidden]
    text = bytes.fromhex("".join(digits)).decode("latin-1")
    if re.fullmatch(r"[\x21-\x7e]+", text):
        print("picoCTF{%s}" % text)
