"""A proxy in the test's own process: with names that lead where the test says, and limits that can be reached."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from intercode_sandbox.network.proxy import Proxy, ProxyLimits
from intercode_sandbox.network.variables import PORT
from intercode_sandbox.session import Session


class Names:
    """A name server that gives, for each name, one answer after the other, and the last one ever after."""

    def __init__(self, answers: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._answers = {name: list(each) for name, each in answers.items()}
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> list[str]:
        """See `Resolve`."""
        self.asked.append(host)
        answers = self._answers.get(host)
        if not answers:
            raise OSError("no such name")
        return list(answers.pop(0) if len(answers) > 1 else answers[0])


@contextmanager
def proxy_of(
    session: Session, policy: str | tuple[str, ...], names: Names | None = None, limits: ProxyLimits | None = None
) -> Iterator[Proxy]:
    """Serve a *session* that has no network of its own."""
    listener = session.listen(PORT)
    proxy = Proxy(listener, policy, resolve=(names or Names({})).resolve, limits=limits)
    loop = asyncio.new_event_loop()
    serving = loop.create_task(proxy.run())

    def serve() -> None:
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(serving)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(serving.cancel)
        thread.join()
        loop.close()
