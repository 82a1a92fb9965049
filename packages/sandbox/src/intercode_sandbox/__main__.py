"""`python -m intercode_sandbox serve --socket PATH`: a sandbox for other processes of this user."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from intercode_sandbox import images
from intercode_sandbox.errors import IntercodeError, UnknownNameError, UserError
from intercode_sandbox.images import Image
from intercode_sandbox.remote.server import SandboxServer


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until a signal comes, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m intercode_sandbox", description=__doc__)
    serve = parser.add_subparsers(required=True, metavar="serve").add_parser("serve", help="serve until Ctrl-C")
    serve.add_argument("--socket", required=True, help="where; only this user can connect")
    serve.add_argument(
        "--image", action="append", default=[], metavar="NAME", help="an image that may be started (may be repeated); "
        "without it any, by name or path"
    )  # fmt: skip
    options = parser.parse_args(argv)
    try:
        from intercode_sandbox.embedded import EmbeddedSandbox

        signal.signal(signal.SIGTERM, _interrupt)
        with SandboxServer(EmbeddedSandbox(), options.socket, find=lambda name: _find(name, options.image)) as server:
            print(f"serving at {options.socket}", flush=True)
            server.serve()
    except KeyboardInterrupt:
        return 0
    except IntercodeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UserError) else 1
    return 0


def _find(name: str, allowed: Sequence[str]) -> Image:
    if allowed and name not in allowed:
        raise UnknownNameError(f"no image called {name!r} is served; there are: {', '.join(allowed)}")
    return images.find(name)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
