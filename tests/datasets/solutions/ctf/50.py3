import re

numbers = re.findall(r"x\[\d\] == (\d+)", open("VaultDoor7.java").read())
print("picoCTF{%s}" % b"".join(int(number).to_bytes(4, "big") for number in numbers).decode())
