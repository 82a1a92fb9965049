import string
small = string.ascii_lowercase
turned = small[-8:] + small[:-8]
table = str.maketrans(small + small.upper(), turned + turned.upper())
print(open("encrypted.txt").read().translate(table))
