import re

print(re.search(r"picoCTF\{.*?\}", open("file").read())[0])
