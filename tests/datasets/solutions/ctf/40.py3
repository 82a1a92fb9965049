import sys
print(bytes(int(word, 16) for word in sys.argv[1].split() if word.startswith("0x")).decode())
