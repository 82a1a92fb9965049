import hashlib
import re

code = open("keygenme-trial.py").read()
name, first, last = (re.search(rf'^{name} = "(.*)"', code, re.M)[1] for name in (
    "username_trial", "key_part_static1_trial", "key_part_static2_trial"
))
digits = hashlib.sha256(name.encode()).hexdigest()
print(first + "".join(digits[int(at)] for at in re.findall(r"hexdigest\(\)\[(\d)\]", code)) + last)
