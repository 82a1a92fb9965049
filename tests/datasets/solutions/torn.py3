import os
import re

pieces = {}
for folder, _, files in os.walk("house"):
    for name in files:
        if match := re.match(r"piece (\d) of 8: (.*)", open(os.path.join(folder, name)).read()):
            pieces[int(match[1])] = match[2]
print("".join(pieces[number] for number in range(1, 9)))
