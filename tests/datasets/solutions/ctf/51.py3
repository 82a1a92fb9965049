import re

code = re.sub(r"/\*.*?\*/", "", open("VaultDoor8.java").read(), flags=re.S)
switches = [(int(one), int(two)) for one, two in re.findall(r"switchBits\(c, ?(\d), ?(\d)\)", code)]
scrambled = [int(number, 16) for number in re.findall(r"0x([0-9A-F]{2})", code)]


def back(byte):
    for one, two in reversed(switches):
        if (byte >> one ^ byte >> two) & 1:
            byte ^= 1 << one | 1 << two
    return chr(byte)


print("picoCTF{%s}" % "".join(map(back, scrambled)))
