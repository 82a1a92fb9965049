import re, sys
rows = [line[4:].split() for line in open("table.txt") if line[1:3] == " |"]
letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
pairs = zip(*re.findall("[A-Z]{8,}", sys.argv[1])[:2])
print("picoCTF{%s}" % "".join(letters[rows[letters.index(key)].index(sign)] for sign, key in pairs))
