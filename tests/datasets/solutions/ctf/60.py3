import base64
text = open("enc_flag", "rb").read()
while not text.startswith(b"picoCTF"):
    text = base64.b64decode(text)
print(text.decode())
