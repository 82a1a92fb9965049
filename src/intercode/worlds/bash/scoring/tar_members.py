"""The members of a tar archive, read in one pass over its bytes: ustar, GNU's and POSIX' long names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

Member = tuple[str, str]
"""What it is (`file`, `directory`, `symlink`, or another type's letter), and its content's digest or its target."""

_BLOCK = 512
_FILES = (b"0", b"\0", b"7")
_KINDS = {b"5": "directory", b"2": "symlink"}
_LONG_NAME, _LONG_TARGET, _HARD_LINK = b"L", b"K", b"1"
_NEXT, _ALL = b"x", b"g"
_LONGEST_PATH = 4096


def is_tar(data: bytes) -> bool:
    """Return whether *data* begins with a header whose sum is right."""
    return len(data) >= _BLOCK and _has_right_sum(data[:_BLOCK])


def tar_members(data: bytes) -> dict[str, Member]:
    """Return the members by the names that they are stored under.

    Of two with one name the last, as unpacking leaves it.

    A hard link is the file that it leads to.

    Raises:
        ValueError: For what is cut off or not understood.
    """
    members: dict[str, Member] = {}
    for entry in _entries(data):
        if entry.type in _FILES:
            members[entry.name] = ("file", sha256(entry.content).hexdigest())
        elif entry.type == _HARD_LINK:
            members[entry.name] = members.get(entry.target, ("hard link", entry.target))
        else:
            kind = _KINDS.get(entry.type, entry.type.decode("latin-1"))
            members[entry.name] = (kind, entry.target if kind == "symlink" else "")
    return members


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    type: bytes
    target: str
    content: bytes


def _entries(data: bytes) -> Iterator[_Entry]:
    """Yield the members, with the long names that stand before them."""
    position, records = 0, dict[str, str]()
    while position + _BLOCK <= len(data):
        header = data[position : position + _BLOCK]
        if not any(header):
            return
        if not _has_right_sum(header):
            raise ValueError("a header's sum is wrong")
        type_, size = header[156:157], _number(header[124:136])
        content = data[position + _BLOCK : position + _BLOCK + size]
        position += _BLOCK + -(-size // _BLOCK) * _BLOCK
        if position > len(data):
            raise ValueError("it is cut off")
        if type_ in (_LONG_NAME, _LONG_TARGET):
            records["path" if type_ == _LONG_NAME else "linkpath"] = _text(content)
        elif type_ == _NEXT:
            records |= _pax(content)
        elif type_ != _ALL:
            yield _Entry(
                records.get("path") or _name(header), type_, records.get("linkpath") or _text(header[157:257]), content
            )
            records = {}


def _name(header: bytes) -> str:
    prefix = _text(header[345:500]) if header[257:263] == b"ustar\0" else ""
    return f"{prefix}/{_text(header[:100])}" if prefix else _text(header[:100])


def _pax(content: bytes) -> dict[str, str]:
    """Return the records `LENGTH KEY=VALUE` that hold a path or a link's target.

    Raises:
        ValueError: If there is a size of its own, as of sparse files: there the header does not tell what follows.
    """
    found: dict[str, str] = {}
    while content:
        digits, blank, _ = content[:20].partition(b" ")
        length = int(digits)
        if not blank or not len(digits) < length <= len(content):
            raise ValueError("a record's length is wrong")
        key, _, value = content[len(digits) + 1 : length - 1].partition(b"=")
        if key in (b"path", b"linkpath"):
            found[key.decode()] = _text(value)
        elif key == b"size" or key.startswith(b"GNU.sparse"):
            raise ValueError("sizes of their own are not understood")
        content = content[length:]
    return found


def _number(field: bytes) -> int:
    """Return an octal number, or as GNU writes large ones; never below 0, or reading would go back.

    Raises ValueError.
    """
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0") or b"0"
    if not digits.isdigit():
        raise ValueError(f"expected a number, not {digits!r}")
    return int(digits, 8)


def _text(field: bytes) -> str:
    text = field.partition(b"\0")[0]
    if len(text) > _LONGEST_PATH:
        raise ValueError("a path is too long")
    return text.decode("utf-8", "surrogateescape")


def _has_right_sum(header: bytes) -> bool:
    try:
        expected = _number(header[148:156])
    except ValueError:
        return False
    return expected == sum(header[:148]) + 8 * 0x20 + sum(header[156:])
