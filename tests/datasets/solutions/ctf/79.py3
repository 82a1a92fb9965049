import re
from math import gcd

known = {name: int(number) for name, number in re.findall(r"(\w+): (\d+)", open("public-key.txt").read())}
moduli = [known["n1"], known["n2"], known["n3"]]
text = known["c"]
for modulus in reversed(moduli):
    shared = gcd(modulus, next(other for other in moduli if other != modulus))
    text = pow(text, pow(known["e"], -1, (shared - 1) * (modulus // shared - 1)), modulus)
print(text.to_bytes(300, "big").lstrip(b"\0").decode())
