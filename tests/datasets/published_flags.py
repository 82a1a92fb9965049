"""How published tasks of capture the flag are solved: programs for the sandbox, each run in the task's folder.

Each is given the request as its argument: nothing of what is published stands in them. A file is called by the numbers
of the tasks that it solves, and not .py: it is no module of ours.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "solutions" / "ctf"

SOLUTIONS = {int(number): path for path in FOLDER.glob("*.py3") for number in path.stem.split("-")}
"""By the task's number."""

SERVICES = frozenset({20, 41, 42, 54, 57, 89, 95})
"""Tasks whose service is gone, and made anew in the verified set alone."""

BY_TOOLS = frozenset({6, 67, 95})
"""Tasks that ask for what the image `ctf` has: cryptography, pdftotext, pycryptodome."""
