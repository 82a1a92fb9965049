import json
import math

key = json.load(open("message.json"))
n = key["n"]
half = math.isqrt(n) + 1
while math.isqrt(half * half - n) ** 2 != half * half - n:
    half += 1
difference = math.isqrt(half * half - n)
p, q = half - difference, half + difference
message = pow(key["c"], pow(key["e"], -1, (p - 1) * (q - 1)), n)
print(message.to_bytes((message.bit_length() + 7) // 8, "big").decode())
