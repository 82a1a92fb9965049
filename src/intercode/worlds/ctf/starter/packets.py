"""A packet capture (pcap) with TCP talks in it."""

from __future__ import annotations

import struct
from random import Random

from intercode.datasets.challenges import WORDS

MAGIC, ETHERNET = 0xA1B2C3D4, 1
BEGAN = 1_700_000_000

Packet = bytes
Stream = list[tuple[int, bytes]]
"""Segments: sequence number, content."""


def capture(dice: Random, note: bytes) -> bytes:
    """A capture of six talks between random hosts, one of which carries *note* as `NOTE length` and the note."""
    hosts = [f"10.0.{dice.randrange(256)}.{at}" for at in range(2, 12)]
    talks = [_chatter(dice) for _ in range(5)]
    talks.insert(dice.randrange(6), f"NOTE {len(note)}\n".encode() + note)
    packets: list[Packet] = []
    for text in talks:
        source, target = dice.sample(hosts, 2)
        ports = dice.randrange(20000, 60000), dice.choice((25, 80, 4711))
        packets += [_packet(source, target, *ports, number, content) for number, content in _segments(dice, text)]
    dice.shuffle(packets)
    head = struct.pack("<IHHiIII", MAGIC, 2, 4, 0, 0, 65535, ETHERNET)
    return head + b"".join(_record(at, packet) for at, packet in enumerate(packets))


def _segments(dice: Random, text: bytes) -> Stream:
    """*text* in segments of a few bytes from a random first number on, some of them twice."""
    first, at, found = dice.getrandbits(24), 0, []
    while at < len(text):
        length = dice.randrange(2, 7)
        found.append((first + at, text[at : at + length]))
        at += length
    return found + dice.sample(found, len(found) // 4)


def _packet(source: str, target: str, port: int, to_port: int, number: int, content: bytes) -> Packet:
    tcp = struct.pack(">HHIIBBHHH", port, to_port, number, 0, 5 << 4, 0x18, 8192, 0, 0) + content
    addresses = bytes(map(int, source.split("."))) + bytes(map(int, target.split(".")))
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0) + addresses
    ip = ip[:10] + struct.pack(">H", _sum(ip)) + ip[12:]
    pseudo = addresses + struct.pack(">BBH", 0, 6, len(tcp))
    tcp = tcp[:16] + struct.pack(">H", _sum(pseudo + tcp)) + tcp[18:]
    return b"\x02\0\0\0\0\x02" + b"\x02\0\0\0\0\x01" + b"\x08\0" + ip + tcp


def _record(at: int, packet: Packet) -> bytes:
    return struct.pack("<IIII", BEGAN + at // 50, at % 50 * 20_000, len(packet), len(packet)) + packet


def _sum(data: bytes) -> int:
    """The Internet's checksum (RFC 1071)."""
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _chatter(dice: Random) -> bytes:
    return " ".join(dice.choice(WORDS) for _ in range(40)).encode()
