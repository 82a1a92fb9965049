"""What the tests of all integrations share. Each folder here runs in an environment of its own."""

from __future__ import annotations

import signal

# Processes inherit it when SIGINT is ignored, as in whatever a script starts with `&`: those that tests start and
# interrupt would not notice.
signal.signal(signal.SIGINT, signal.default_int_handler)
