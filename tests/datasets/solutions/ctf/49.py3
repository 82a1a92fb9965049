import re

body = re.search(r"myBytes = \{(.*?)\}", open("VaultDoor6.java").read(), re.S)[1]
print("picoCTF{%s}" % "".join(chr(int(number, 16) ^ 0x55) for number in re.findall(r"0x[0-9a-f]+", body)))
