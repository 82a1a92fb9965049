import base64
import re
import sys

word = max(re.findall(r"\w+", sys.argv[1]), key=len)
print("picoCTF{%s}" % base64.b64decode(word + "=" * (-len(word) % 4)).decode())
