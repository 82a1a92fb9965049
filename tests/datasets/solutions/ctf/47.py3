import re

body = re.search(r"myBytes = \{(.*?)\}", open("VaultDoor4.java").read(), re.S)[1]


def sign(text):
    if text[0] == "'":
        return text[1]
    return chr(int(text, 0 if text.startswith("0x") else 8 if text[0] == "0" else 10))


print("picoCTF{%s}" % "".join(sign(text) for text in re.findall(r"'.'|\w+", body)))
