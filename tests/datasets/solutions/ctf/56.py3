"""Reads the flags of the sea by their colours at nine places each; digits are those of the navy of the United States."""

import struct
import zlib

FLAGS = {
    "bbbbwbbbb": "p", "yyyykyyyy": "i", "bbbrrrbbb": "c", "yrryrryyy": "o", "rwbrwbrwb": "t", "wrwrrrwrw": "f",
    "rrryyyrrr": "1", "wwbwwwwwb": "a", "yybyybyyb": "g", "bybybybyb": "5", "bwwwbbwbb": "n", "yyybbbyyy": "d",
    "rrwrrwwwr": "u",
}  # fmt: skip
COLOURS = {"r": (220, 0, 30), "b": (0, 0, 170), "y": (255, 235, 10), "w": (255, 255, 255), "k": (0, 0, 0)}


def rows(path):
    """The picture's rows of (red, green, blue)."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    step = {2: 3, 6: 4}[colour]
    raw, before = zlib.decompress(packed), bytes(width * step)
    for y in range(height):
        method, *line = raw[y * (width * step + 1) : (y + 1) * (width * step + 1)]
        for x in range(len(line)):
            left, up = (line[x - step] if x >= step else 0), before[x]
            corner = before[x - step] if x >= step else 0
            nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            line[x] = (line[x] + (0, left, up, (left + up) // 2, nearest)[method]) & 255
        before = bytes(line)
        yield [
            tuple(line[x : x + 3]) if step == 3 or line[x + 3] > 127 else (255, 255, 255)
            for x in range(0, len(line), step)
        ]


def name(pixel):
    return min(COLOURS, key=lambda colour: sum((one - two) ** 2 for one, two in zip(COLOURS[colour], pixel)))


def parts(inked):
    """From where to where there is ink, but for what is too narrow to be a flag (a bracket): None."""
    start = None
    for x, ink in enumerate([*inked, False]):
        if ink and start is None:
            start = x
        elif not ink and start is not None:
            count = round((x - start) / 68)
            width = (x - start) / max(1, count)
            yield from [(start + width * at, width) for at in range(count)] or [None]
            start = None


picture = [row for _, row in zip(range(76), rows("flag.png"))]
text, brackets = "", iter("{}")
for part in parts([any(min(row[x]) < 235 for row in picture) for x in range(len(picture[0]))]):
    if part is None:
        text += next(brackets)
        continue
    left, width = part
    columns = range(int(left), int(left + width))
    top = next(y for y, row in enumerate(picture) if any(min(row[x]) < 235 for x in columns))
    places = [(top + 67 * down, left + width * right) for down in (0.1, 0.45, 0.9) for right in (0.1, 0.45, 0.9)]
    text += FLAGS["".join(name(picture[int(y)][int(x)]) for y, x in places)]
print("picoCTF" + text[7:])
