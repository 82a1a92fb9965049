from itertools import cycle
key = cycle("CYLAB")

def back(sign):
    if not sign.isalpha():
        return sign
    first = ord("A" if sign.isupper() else "a")
    return chr((ord(sign) - first - ord(next(key)) + ord("A")) % 26 + first)

print("".join(map(back, open("cipher.txt").read())))
