"""Every library that the package or its tests depend on stands in the docs, with the reason why."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SANDBOX = tomllib.loads((ROOT / "packages/sandbox/pyproject.toml").read_text())
OURS = {"intercode-env", "intercode-generate", "intercode-sandbox"}
GROUPS = {
    "needed by everyone": PROJECT["project"]["dependencies"],
    "needed by the sandbox": SANDBOX["project"]["dependencies"],
    **{f"sandbox's extra {name}": needed for name, needed in SANDBOX["project"]["optional-dependencies"].items()},
    "build": PROJECT["build-system"]["requires"],
    **{f"extra {name}": needed for name, needed in PROJECT["project"]["optional-dependencies"].items()},
    **{f"group {name}": needed for name, needed in PROJECT["dependency-groups"].items()},
}


@pytest.mark.parametrize("group", GROUPS)
def test_every_dependency_is_named_with_its_reason(group: str) -> None:
    page = (ROOT / "docs/decisions/libraries.md").read_text()
    libraries = {name for row in re.findall(r"^\|[^|]+\|([^|]+)\|", page, re.MULTILINE) for name in row.split(", ")}
    named = {name.strip() for name in libraries}
    needed = {re.split(r"[\[<>=~! ;]", requirement)[0] for requirement in GROUPS[group]} - OURS
    assert needed <= named, f"docs/decisions/libraries.md does not name {sorted(needed - named)}"
