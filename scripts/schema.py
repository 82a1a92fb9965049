"""Write docs/trajectory.schema.json: what `as_dict` gives, described for programs in any language."""

from __future__ import annotations

import json
from pathlib import Path

from intercode.types import trajectories

FILE = Path(__file__).parents[1] / "docs/trajectory.schema.json"


def text() -> str:
    """Return what belongs into the file."""
    return json.dumps(trajectories.schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
