from scramble import scramble

data = bytes.fromhex(open("message.hex").read())
for state in range(256):
    text = scramble(data, state)
    if text.startswith(b"flag: intercode{"):
        print(text.decode().split()[1])
        break
