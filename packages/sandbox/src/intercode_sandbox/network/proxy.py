"""The proxy of one session: accepts what connects to its listener, and asks the world outside for what is allowed.

It goes by the name in a request, and by the very address that it then connects to: a name that leads somewhere else at
the second look is of no use. What it does not stop: whoever owns an allowed host sees what is sent there and may pass
it on, and a tunnel carries what its two ends agree on. See `docs/decisions/network.md`.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address

from intercode_sandbox.network.addresses import Address, is_never_allowed, is_public, unmapped
from intercode_sandbox.network.hosts import ALLOW, PORTS, HostPattern, NetworkPolicy, address_of
from intercode_sandbox.network.request import LONGEST_HEAD, Request, RequestError, read_request
from intercode_sandbox.network.usage import NetworkUsage

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Returns the addresses of a host, as text."""

TUNNEL_OPEN = b"HTTP/1.1 200 Connection established\r\n\r\n"
CHUNK = 64 << 10
PAUSE = 0.1
"""Seconds until a connection is accepted, where one could not be."""

LOOKUPS = 8
"""Names of one session that are looked up at once: all sessions' look-ups share the process's threads."""


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """Bounds of one session's use of its proxy.

    Attributes:
        connections: At once; more of them wait.
        requests: In all.
        sent: Bytes that leave the session.
        received: Bytes that come in.
        head_seconds: How long a request's head may take.
        connect_seconds: How long a host may take to answer the first packet, its name's look-up included.
        idle_seconds: How long nothing may come from either side.
        open_seconds: How long a connection may last.
    """

    connections: int = 64
    requests: int = 20_000
    sent: int = 256 << 20
    received: int = 16 << 30
    head_seconds: float = 10.0
    connect_seconds: float = 20.0
    idle_seconds: float = 120.0
    open_seconds: float = 3600.0


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of *host*, as this machine finds them."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class Proxy:
    """Serves from `run` until that is cancelled."""

    def __init__(
        self, listener: socket.socket, policy: NetworkPolicy, *, resolve: Resolve = resolve,
        limits: ProxyLimits | None = None,
    ) -> None:  # fmt: skip
        self.usage = NetworkUsage()
        self._listener, self._resolve = listener, resolve
        self._limits = limits or ProxyLimits()
        self._patterns = None if policy == ALLOW else [HostPattern.of(text) for text in policy]
        self._slots = asyncio.Semaphore(self._limits.connections)
        self._lookups = asyncio.Semaphore(LOOKUPS)
        self._tasks: set[asyncio.Task[None]] = set()
        listener.setblocking(False)

    @property
    def open_connections(self) -> int:
        """Return how many of the session's connections are open."""
        return len(self._tasks)

    async def run(self) -> None:
        """Serve. Nothing is left open when it is cancelled."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                await self._slots.acquire()
                client = await self._accept()
                task = loop.create_task(self._serve(client))
                self._tasks.add(task)
                task.add_done_callback(self._forget)
        finally:
            self._listener.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self) -> socket.socket:
        while True:
            try:
                client, _ = await asyncio.get_running_loop().sock_accept(self._listener)
                return client
            except OSError:  # it has gone again, or this process has no more files for a moment
                await asyncio.sleep(PAUSE)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._slots.release()

    async def _serve(self, client: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=client, limit=LONGEST_HEAD)
        with _ending(writer), suppress(OSError, TimeoutError, EOFError):
            async with asyncio.timeout(self._limits.open_seconds):
                try:
                    request = await self._read(reader)
                    server = await self._connect(request)
                except RequestError as error:
                    self._count(refused=1)
                    await _answer(writer, error)
                    return
                self._count(requests=1)
                await self._pass_on(request, (reader, writer), server)

    async def _read(self, reader: asyncio.StreamReader) -> Request:
        async with asyncio.timeout(self._limits.head_seconds):
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.LimitOverrunError:
                raise RequestError("431 Request Header Fields Too Large", "its head is too long") from None
        request = read_request(head)
        self._check_limits()
        return request

    def _check_limits(self) -> None:
        """Raise RequestError where the session has had all that it may have."""
        used, most = self.usage, self._limits
        for what, count, limit in (
            ("requests", used.requests, most.requests),
            ("bytes sent", used.sent, most.sent),
            ("bytes received", used.received, most.received),
        ):
            if count >= limit:
                raise RequestError("429 Too Many Requests", f"this session has had its {limit} {what}")

    def _check(self, host: str, port: int) -> None:
        """Raise RequestError for a host or port that is not allowed, whatever its addresses are."""
        if self._patterns is not None:
            if not any(pattern.matches(host, port) for pattern in self._patterns):
                raise _forbidden(f"{host}:{port} is not among the hosts that this task allows")
        elif port not in PORTS or (address_of(host) is None and "." not in host):
            raise _forbidden(f"{host}:{port} is not public, or its port is neither 80 nor 443")

    async def _connect(self, request: Request) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to an address of the host that may be reached, and to no other."""
        try:
            self._check(request.host, request.port)
            return await self._reach(request)
        except RequestError:
            self.usage += NetworkUsage(unreached=(request.host,))
            raise

    async def _reach(self, request: Request) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            async with asyncio.timeout(self._limits.connect_seconds):
                given = address_of(request.host)
                found = [request.host] if given else await self._look_up(request.host, request.port)
                addresses = [text for text in found if self._may_reach(ip_address(text))]
                if not addresses:
                    raise _forbidden(f"{request.host} leads to no public address; one that is wanted has to be listed")
                return await _first(addresses, request.port)
        except (OSError, UnicodeError) as error:  # of which a TimeoutError is one
            raise RequestError("502 Bad Gateway", f"{request.host}:{request.port} cannot be reached") from error

    async def _look_up(self, host: str, port: int) -> list[str]:
        async with self._lookups:
            return await self._resolve(host, port)

    def _may_reach(self, address: Address) -> bool:
        plain = unmapped(address)
        is_listed = self._patterns is not None and any(pattern.host == str(plain) for pattern in self._patterns)
        return not is_never_allowed(plain) and (is_listed or is_public(plain))

    async def _pass_on(
        self, request: Request, client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        server: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:  # fmt: skip
        with _ending(server[1]):
            if request.is_tunnel:
                client[1].write(TUNNEL_OPEN)
            else:
                self._count(sent=len(request.head))
                server[1].write(request.head)
            passed = _Passed(asyncio.get_running_loop().time())
            most = None if request.is_tunnel else request.length
            upwards = asyncio.ensure_future(self._pump(client[0], server[1], most, passed, is_sent=True))
            downwards = asyncio.ensure_future(self._pump(server[0], client[1], None, passed, is_sent=False))
            try:
                await self._wait(downwards, passed)  # the answer is the end, whether all was sent or not
            finally:
                for task in (upwards, downwards):
                    task.cancel()
                await asyncio.gather(upwards, downwards, return_exceptions=True)

    async def _wait(self, task: asyncio.Future[None], passed: _Passed) -> None:
        """Wait until *task* is over, or nothing has gone either way for long."""
        clock = asyncio.get_running_loop().time
        while not task.done() and (left := passed.last + self._limits.idle_seconds - clock()) > 0:
            await asyncio.wait({task}, timeout=left)

    async def _pump(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, most: int | None, passed: _Passed, *,
        is_sent: bool,
    ) -> None:  # fmt: skip
        """Pass on what comes, *most* bytes of it, until the end or a limit."""
        left = most
        while left is None or left > 0:
            block = await source.read(CHUNK if left is None else min(CHUNK, left))
            if not block:
                break
            left = None if left is None else left - len(block)
            self._count(sent=len(block) * is_sent, received=len(block) * (not is_sent))
            if self.usage.sent > self._limits.sent or self.usage.received > self._limits.received:
                return
            target.write(block)
            await target.drain()
            passed.last = asyncio.get_running_loop().time()
        if left is None and target.can_write_eof():
            target.write_eof()

    def _count(self, *, requests: int = 0, refused: int = 0, sent: int = 0, received: int = 0) -> None:
        self.usage += NetworkUsage(requests, refused, sent, received)


@dataclass(slots=True)
class _Passed:
    """When something went through a connection last, either way."""

    last: float


@contextmanager
def _ending(writer: asyncio.StreamWriter) -> Iterator[None]:
    """End a connection at once when the block is left. What was written has gone to the kernel by each `drain`."""
    writer.transport.set_write_buffer_limits(0)
    try:
        yield
    finally:
        writer.transport.abort()  # to close it would wait for a side that does not read


async def _first(addresses: list[str], port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first of *addresses* that answers: to the address itself, so that no name is looked up again."""
    for text in addresses[:-1]:
        with suppress(OSError):
            return await asyncio.open_connection(text, port, limit=CHUNK)
    return await asyncio.open_connection(addresses[-1], port, limit=CHUNK)


def _forbidden(words: str) -> RequestError:
    return RequestError("403 Forbidden", words)


async def _answer(writer: asyncio.StreamWriter, error: RequestError) -> None:
    body = f"the sandbox's network: {error.words}\n".encode()
    head = f"HTTP/1.1 {error.status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
    writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
    await writer.drain()
