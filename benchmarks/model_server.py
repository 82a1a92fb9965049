"""A model's server for measuring: the same short answer to everything. Arguments: FILE-FOR-ITS-URL SECONDS-OF-DELAY."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

MESSAGE = {"role": "assistant", "content": "Thought: look\nAction:\n```bash\nls\n```"}
BODY = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
).encode()
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


async def serve(delay: float, file: Path) -> None:
    """Answer every question after *delay* seconds, until it is killed; the address is written into *file*."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
                await reader.readexactly(length)
                await asyncio.sleep(delay)
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, backlog=256)
    file.with_suffix(".new").write_text(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    file.with_suffix(".new").rename(file)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[2]), Path(sys.argv[1])))
