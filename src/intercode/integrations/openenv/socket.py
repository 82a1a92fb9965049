"""A session over a WebSocket: it begins with the connection and ends with it, also where the client just vanishes."""

from __future__ import annotations

import asyncio

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from intercode.integrations.openenv import protocol, turns
from intercode.integrations.openenv.failures import FAILURES, UnknownTypeError, describe
from intercode.integrations.openenv.protocol import CodeAction, Json, SocketMessage
from intercode.integrations.serving.memory import MAX_MESSAGE, MemoryShare
from intercode.integrations.serving.sessions import EpisodeSession, Reason, RefusedError, ServedSessions
from intercode.util.decoding import decode, ready

MAX_WAITING = 16
"""How many messages a client may send ahead of the answers."""

GOING_AWAY, TOO_MUCH = 1001, 1008

ENDINGS: dict[Reason, str] = {
    "idle": "the session was idle for too long: connect again",
    "stopped": "the server stops: the episode is over and not scored",
}


async def serve_socket(socket: WebSocket, pool: ServedSessions) -> None:
    """Answer the messages of one client until it is gone, says `close`, is idle for too long, or the server stops."""
    await socket.accept()
    try:
        session = await pool.open()
    except FAILURES as error:
        await _send(socket, _failure(error))
        await socket.close(TOO_MUCH)
        return
    conversation = _Conversation(socket, pool, session)
    reason: Reason = "failed"
    try:
        reason = await conversation.run()
    finally:
        await pool.close(session, reason)


class _Conversation:
    """What is said over one connection. Its client is listened to while an action runs: it may vanish meanwhile."""

    def __init__(self, socket: WebSocket, pool: ServedSessions, session: EpisodeSession) -> None:
        self._socket, self._pool, self._session = socket, pool, session
        self._inbox: asyncio.Queue[str] = asyncio.Queue(MAX_WAITING)
        self._share, self._size = MemoryShare(pool.memory), 0

    async def run(self) -> Reason:
        """Talk until it is over; says why it is. Raises what is a bug."""
        parts = [asyncio.create_task(each) for each in (self._listen(), self._answer(), self._wait_for_end())]
        try:
            done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
            return next(task.result() for task in parts if task in done)
        except WebSocketDisconnect:  # while an answer was sent
            return "disconnected"
        finally:
            for task in parts:
                task.cancel()
            await asyncio.gather(*parts, return_exceptions=True)  # what they raise now is of their being cancelled
            self._share.hold(0)

    async def _listen(self) -> Reason:
        try:
            while True:
                raw = await self._socket.receive_text()
                if self._size + len(raw) > MAX_MESSAGE or not self._share.hold(self._size + len(raw)):
                    raise asyncio.QueueFull
                self._size += len(raw)
                self._inbox.put_nowait(raw)
        except WebSocketDisconnect:
            return "disconnected"
        except (asyncio.QueueFull, KeyError):  # too many messages or too much in them, or bytes
            await self._socket.close(TOO_MUCH)
            return "failed"

    async def _answer(self) -> Reason:
        while True:
            raw = await self._inbox.get()
            try:
                answer = await self._answer_to(raw)
            except FAILURES as error:
                answer = _failure(error)
            self._size -= len(raw)
            self._share.hold(self._size)
            if answer is None:
                await self._socket.close()
                return "closed"
            await _send(self._socket, answer)

    async def _answer_to(self, raw: str) -> Json | None:
        """Return what is answered; None to a `close`."""
        message = decode(raw, SocketMessage)
        if message.type == "reset":
            return _observation(await turns.reset(self._session, self._pool.tasks, message.data))
        if message.type == "step":
            return _observation(await turns.step(self._session, msgspec.convert(message.data, ready(CodeAction))))
        if message.type == "state":
            return {"type": "state", "data": protocol.state_of(self._session)}
        if message.type == "close":
            return None
        raise UnknownTypeError(f"unknown message type {message.type!r}: there are reset, step, state, close")

    async def _wait_for_end(self) -> Reason:
        """Return the session was ended elsewhere: the client hears why with its next question."""
        await self._session.ended.wait()
        reason = self._session.reason
        error = RefusedError(ENDINGS.get(reason, "the session is over"))
        await _send(self._socket, {"type": "error", "data": {**describe(error)[0], "code": "SESSION_ERROR"}})
        await self._socket.close(GOING_AWAY)
        return reason


def _observation(answer: Json) -> Json:
    return {"type": "observation", "data": answer}


def _failure(error: Exception) -> Json:
    return {"type": "error", "data": describe(error)[0]}


async def _send(socket: WebSocket, message: Json) -> None:
    await socket.send_text(protocol.encode(message).decode())
