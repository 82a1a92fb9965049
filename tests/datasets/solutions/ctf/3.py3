import re
bits = "".join("1" if sign == " " else "0" for sign in open("whitepages_task_3.txt", encoding="utf-8").read())
text = int(bits, 2).to_bytes(len(bits) // 8, "big")
print(re.search(rb"picoCTF{[^}]+}", text)[0].decode())
