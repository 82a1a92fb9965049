import base64
from cryptography.fernet import Fernet

password = open("pw.txt", "rb").read().strip()
print(Fernet(base64.b64encode(password)).decrypt(open("flag.txt.en", "rb").read()).decode())
