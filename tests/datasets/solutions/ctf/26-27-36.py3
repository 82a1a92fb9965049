import re
from glob import glob
from itertools import cycle

code = open(glob("*.py")[0]).read()
hidden = re.search(r"^flag_enc = (.*)", code, re.M)[1]
key = re.search(r"str_xor\(flag_enc, '(.*)'\)", code)[1]
print("".join(chr(int(sign, 16) ^ ord(k)) for sign, k in zip(re.findall("0x([0-9a-f]+)", hidden), cycle(key))))
