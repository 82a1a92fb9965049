import re

shuffled = re.search(r's\.equals\("(.*)"\)', open("VaultDoor3.java").read())[1]
password = [""] * 32
for at in range(32):
    if at < 8 or (at >= 17 and at % 2):
        password[at] = shuffled[at]
    elif at < 16:
        password[23 - at] = shuffled[at]
    else:
        password[46 - at] = shuffled[at]
print("picoCTF{%s}" % "".join(password))
