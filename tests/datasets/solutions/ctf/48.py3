import base64
import re
from urllib.parse import unquote

text = "".join(re.findall(r'"(J[\w=]+)"', open("VaultDoor5.java").read()))
print("picoCTF{%s}" % unquote(base64.b64decode(text + "=" * (-len(text) % 4)).decode()))
