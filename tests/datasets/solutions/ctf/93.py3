text = open("message.txt").read()
print("".join(text[at + 2] + text[at] + text[at + 1] for at in range(0, len(text), 3)).split()[-1])
