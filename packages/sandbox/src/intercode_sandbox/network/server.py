"""The program that serves the proxies of a sandbox's sessions; started by `gateway.py`, with its socket as the input.

It is a process of its own so that no session's requests keep the host's program from its work. Each message brings two
descriptors: a session's listener, and a socket to be asked for what it has used, whose end is the end of its network.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import astuple

from intercode_sandbox.network.proxy import Proxy

MESSAGE = 64 << 10
LOOKUPS = 64
"""Names that are looked up at once."""


async def serve(control: socket.socket) -> None:
    """Serve the sessions that *control* hands over, until its end."""
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(LOOKUPS))
    control.setblocking(False)
    sessions: set[asyncio.Task[None]] = set()
    while True:
        await _wait_for(control)
        message, descriptors, *_ = socket.recv_fds(control, MESSAGE, 2)
        if not message:
            os._exit(0)  # not waiting for names that are being looked up
        listener, link = (socket.socket(fileno=descriptor) for descriptor in descriptors)
        task = loop.create_task(_serve_session(listener, link, json.loads(message)))
        sessions.add(task)
        task.add_done_callback(sessions.discard)


async def _serve_session(listener: socket.socket, link: socket.socket, policy: str | list[str]) -> None:
    proxy = Proxy(listener, policy if isinstance(policy, str) else tuple(policy))
    serving = asyncio.ensure_future(proxy.run())
    link.setblocking(False)
    try:
        while await asyncio.get_running_loop().sock_recv(link, 1):
            link.send(json.dumps(astuple(proxy.usage)).encode())
    except OSError:
        pass  # nobody is there any more
    finally:
        link.close()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def _wait_for(channel: socket.socket) -> None:
    """Wait until there is something to receive."""
    loop = asyncio.get_running_loop()
    arrived = loop.create_future()
    loop.add_reader(channel, arrived.set_result, None)
    try:
        await arrived
    finally:
        loop.remove_reader(channel)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(socket.socket(fileno=0)))
