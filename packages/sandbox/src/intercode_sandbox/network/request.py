"""The head of one request to the proxy, read strictly: what two programs could read in two ways is refused.

Of a plain request one is passed on for each connection, with a body of a known length: nothing can be smuggled in
behind it. What goes through a tunnel (`CONNECT`) nobody here can read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from intercode_sandbox.network.hosts import normal_host

LONGEST_HEAD = 16 << 10
"""Bytes of a request's first line and headers."""

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

_LINE = re.compile(rb"([A-Z]{1,16}) ([\x21-\x7e]+) HTTP/1\.([01])")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*((?:[\x20-\x7e\x80-\xff\t])*?)[ \t]*")
_TARGET = re.compile(r"http://([^/?#@\\]+)(/[^#]*|\?[^#]*)?", re.IGNORECASE)
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]@/\\]+)(?::([1-9][0-9]{0,4}))?")
_LENGTH = re.compile(r"[0-9]{1,15}")

HOP = ("connection", "proxy-connection", "proxy-authorization", "keep-alive", "te", "trailer", "upgrade", "expect")
"""Headers that are between the session and us."""


class RequestError(Exception):
    """A request that is not passed on: the status of the answer and the words in it."""

    def __init__(self, status: str, words: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a tunnel to a host, or for one thing of it. `head` is sent to the host before the body."""

    host: str
    port: int
    is_tunnel: bool
    head: bytes = b""
    length: int = 0


def read_request(head: bytes) -> Request:
    """Return the request in *head*, which ends with its empty line.

    Raises:
        RequestError: If it is malformed, ambiguous, or nothing for a proxy.
    """
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    found = _LINE.fullmatch(first)
    if found is None:
        raise _bad("its first line is no request")
    method, target = found[1].decode(), found[2].decode()
    headers = [_header(line) for line in lines]
    if method == "CONNECT":
        host, port = _authority(target, 0)
        return Request(host, port, is_tunnel=True)
    if method not in METHODS:
        raise RequestError("501 Not Implemented", f"{method} is not passed on")
    place = _TARGET.fullmatch(target)
    if place is None:
        raise _bad("it names no http:// address (https goes through CONNECT)")
    host, port = _authority(place[1], 80)
    path = place[2] or "/"
    name = (f"[{host}]" if ":" in host else host) + (f":{port}" if port != 80 else "")
    for value in _values(headers, "host"):
        if _authority(value, 80) != (host, port):
            raise _bad("its Host is not that of its address")
    length = _length(headers)
    kept = [f"{key}: {value}" for key, value in headers if key.lower() not in {"host", *_hop(headers)}]
    start = f"{method} {path if path.startswith('/') else '/' + path} HTTP/1.1"
    text = "\r\n".join([start, f"Host: {name}", *kept, "Connection: close", "", ""])
    return Request(host, port, is_tunnel=False, head=text.encode("latin-1"), length=length)


def _bad(words: str) -> RequestError:
    return RequestError("400 Bad Request", words)


def _header(line: bytes) -> tuple[str, str]:
    found = _HEADER.fullmatch(line)
    if found is None:
        raise _bad("one of its headers is malformed")
    return found[1].decode("latin-1"), found[2].decode("latin-1")


def _values(headers: list[tuple[str, str]], name: str) -> list[str]:
    """Return the values of a header that there may be once.

    Raises:
        RequestError: If there are more.
    """
    found = [value for key, value in headers if key.lower() == name]
    if len(found) > 1:
        raise _bad(f"it has several headers {name}")
    return found


def _authority(text: str, usual_port: int) -> tuple[str, int]:
    found = _AUTHORITY.fullmatch(text)
    host = normal_host(found[1]) if found else ""
    port = int(found[2]) if found and found[2] else usual_port
    if not host or not 0 < port < 1 << 16:
        raise _bad(f"{text[:80]!r} is no host with a port")
    return host, port


def _length(headers: list[tuple[str, str]]) -> int:
    if any(key.lower() == "transfer-encoding" for key, _ in headers):
        raise RequestError("411 Length Required", "its body has no Content-Length")
    text = (_values(headers, "content-length") or ["0"])[0]
    if not _LENGTH.fullmatch(text):
        raise _bad("its Content-Length is no number")
    return int(text)


def _hop(headers: list[tuple[str, str]]) -> set[str]:
    """Return the headers that end here: the usual ones, and those that the request names itself.

    What frames the body stays whatever it names.
    """
    named = {word.strip().lower() for key, value in headers if key.lower() == "connection" for word in value.split(",")}
    return {*HOP, *named} - {"content-length"}
