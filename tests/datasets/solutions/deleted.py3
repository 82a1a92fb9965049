import bz2
import re
import struct

image = open("floppy.img", "rb").read()
sector, _, reserved, fats, entries = struct.unpack_from("<HBHBH", image, 11)
(fat_sectors,) = struct.unpack_from("<H", image, 22)
root = sector * (reserved + fats * fat_sectors)
start = root + 32 * entries
for at in range(root, start, 32):
    if image[at] == 0xE5:
        cluster, size = struct.unpack_from("<HI", image, at + 26)
        begin = start + sector * (cluster - 2)
        print(re.search(r"intercode\{.*?\}", bz2.decompress(image[begin : begin + size]).decode())[0])
