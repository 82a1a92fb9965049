"""How long tests wait for what must happen: `INTERCODE_TEST_PATIENCE=10` waits ten times as long, for slow machines.

What a limit is expected to end stays as short as it is.
"""

from __future__ import annotations

import os

SWITCH = "INTERCODE_TEST_PATIENCE"


def patience(seconds: float) -> float:
    """Return that many seconds of an ordinary machine."""
    return seconds * float(os.environ.get(SWITCH) or 1)
