import struct

data = open("sunset.bmp", "rb").read()
(begin,) = struct.unpack_from("<I", data, 10)
bits = "".join(str(blue & 1) for blue in data[begin::3])
letters = bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))
print(letters.partition(b"\0")[0].decode())
