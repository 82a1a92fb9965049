import re

secret = re.search(r'bezos_cc_secret = "(.*)"', open("crackme.py").read())[1]
print("".join(chr(33 + (ord(sign) - 33 + 47) % 94) for sign in secret))
