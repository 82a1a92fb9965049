import re

given, back = {}, set()
for line in open("journal.txt"):
    if match := re.search(r"badge (\d+) given out, code (\S+)", line):
        given[match[1]] = match[2]
    elif match := re.search(r"badge (\d+) taken back", line):
        back.add(match[1])
print([code for badge, code in given.items() if badge not in back][0])
