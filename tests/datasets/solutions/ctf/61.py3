import re
print(re.search(r"picoCTF{[^}]+}", open("anthem.flag.txt", encoding="utf-8").read())[0])
