print("".join(chr(ord(pair) >> 8) + chr(ord(pair) & 255) for pair in open("enc", encoding="utf-8").read()))
