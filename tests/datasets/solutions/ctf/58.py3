import base64
import re

lines = open("readmycert.csr").read().splitlines()
data = base64.b64decode("".join(line for line in lines if not line.startswith("-")))
print(re.search(rb"picoCTF\{.*?\}", data)[0].decode())
