"""The process of a peer: `python -m intercode.integrations.peers KIND NAME`, asked in lines of JSON.

A request is `[METHOD, ARGUMENT]`; the reply `{"ok": …}`, or `{"failed": TRACE}` where the peer's own code raised. What
that prints goes to the error output, so that it does not mix with replies.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from intercode.integrations.peers.base import Grade, Peer, PeerError
from intercode.integrations.peers.turns import EndlessError

KINDS = {
    "gymnasium": ("gymnasium", "intercode.integrations.peers.gymnasium_env"),
    "inspect": ("inspect_ai", "intercode.integrations.peers.inspect_task"),
    "verifiers": ("verifiers", "intercode.integrations.peers.verifiers_package"),
}
"""For each kind the package that it needs, and the module with its `open_peer`."""

MISSING = "missing package"
"""Begins a failure for want of the peer's package."""

ENDLESS = "the episode goes on without end where nothing is said any more, so that nothing judges it"

FRAMES = 4
"""Of a trace, how many are told: the innermost."""

HERE = Path(__file__).parent


def open_peer(kind: str, name: str) -> Peer:
    """Open the environment or the tasks called *name*. Its code is run."""
    package, module = KINDS[kind]
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise SystemExit(f"{MISSING}: {package}") from error
    peer: Peer = import_module(module).open_peer(name)
    return peer


def answer(peer: Peer, method: str, argument: Any) -> Any:
    """Return what *method* gives, as JSON can hold it."""
    methods: dict[str, Callable[[], Any]] = {
        "begin": lambda: asdict(peer.begin(argument)),
        "say": lambda: asdict(peer.say(argument)),
        "run": lambda: asdict(peer.run(argument)),
        "grade": lambda: grade(peer).as_dict(),
        "about": lambda: {
            "tasks": [asdict(task) for task in peer.tasks],
            "sources": [str(path.resolve()) for path in peer.sources],
        },
    }
    return methods[method]()


def grade(peer: Peer) -> Grade:
    """Return what *peer* gives; nothing for an episode that never ends, of which no reward was asked."""
    try:
        return peer.grade()
    except EndlessError:
        return Grade(0.0, notes=(ENDLESS,))


def failure(error: BaseException) -> str:
    """Return where *error* was raised in code that is not ours or of Python's own machinery, and what it says."""
    if isinstance(error, PeerError):
        return str(error)
    frames = [each for each in traceback.extract_tb(error.__traceback__) if not _is_ours(each.filename)]
    told = [f'File "{each.filename}", line {each.lineno}, in {each.name}\n  {each.line}\n' for each in frames[-FRAMES:]]
    return "".join([*told, *traceback.format_exception_only(error)])


def _is_ours(file: str) -> bool:
    return file.startswith("<frozen") or Path(file).parent == HERE


def main(kind: str, name: str) -> None:
    """Serve requests until the input ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogatepass")
    os.dup2(2, 1)

    def reply(**value: Any) -> None:
        replies.write(json.dumps(value) + "\n")
        replies.flush()

    requests = os.fdopen(os.dup(0), encoding="utf-8", errors="surrogatepass")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # nothing of the peer's reads what is asked
    try:
        peer = open_peer(kind, name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - code of others: whatever it raises is told
        reply(failed=str(error) if isinstance(error, SystemExit) else failure(error))
        return
    reply(ok=None)
    for line in requests:
        method, argument = json.loads(line)
        try:
            result = answer(peer, method, argument)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the same
            reply(failed=failure(error))
        else:
            reply(ok=result)
    peer.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
