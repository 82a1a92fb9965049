import json

cube = json.load(open("message.json"))["c"]
low, high = 0, 1 << cube.bit_length() // 3 + 1
while low < high:
    middle = (low + high) // 2
    low, high = (middle + 1, high) if middle**3 < cube else (low, middle)
print(low.to_bytes((low.bit_length() + 7) // 8, "big").decode())
