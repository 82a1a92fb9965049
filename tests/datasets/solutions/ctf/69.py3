import re
text = open("ciphertext").read()
n, e, c = (int(number) for number in re.findall(r": (\d+)", text))

def root(number):
    low, high = 0, 1 << (number.bit_length() // e + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**e < number else (low, middle)
    return low

found = next(k for k in range(3530, 3540) if root(c + k * n) ** e == c + k * n)  # from 0 it takes a minute
print(root(c + found * n).to_bytes(300, "big").lstrip(b"\0").decode().strip())
