import struct

data = open("capture.pcap", "rb").read()
talks, at = {}, 24
while at < len(data):
    (length,) = struct.unpack_from("<I", data, at + 8)
    packet = data[at + 16 : at + 16 + length]
    at += 16 + length
    ends = packet[26:38]
    (number,) = struct.unpack_from(">I", packet, 38)
    talks.setdefault(ends, {})[number] = packet[54:]
for segments in talks.values():
    text = b"".join(segments[number] for number in sorted(segments))
    if text.startswith(b"NOTE"):
        print(text.decode().split("the flag is ")[1].strip())
