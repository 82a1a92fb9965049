import base64
import re

data = open("message.txt", "rb").read().strip()
while not data.startswith(b"intercode{"):
    if re.fullmatch(rb"[0-9A-F]+", data):
        data = base64.b16decode(data)
    elif re.fullmatch(rb"[A-Z2-7]+=*", data):
        data = base64.b32decode(data)
    else:
        data = base64.b64decode(data)
print(data.decode())
