"""Write docs/reference/ from the docstrings of what others build on; `--check` only says whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import indent

import griffe

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "reference"

HEAD = "Made from the docstrings by `make reference`."

PAGES = {
    "types": ["intercode.types", "intercode.conversation", "intercode.errors", "intercode.trajectories"],
    "worlds": [
        "intercode.worlds",
        "intercode.worlds.spec",
        "intercode.envs.base",
        "intercode.envs.core.options",
        "intercode.envs.core.branching",
        "intercode.envs.bash.env",
        "intercode.envs.sql.env",
        "intercode.envs.python.env",
        "intercode.envs.swe.env",
        "intercode.envs.ctf.env",
    ],
    "agents": ["intercode.agents.base"],
    "models": ["intercode.models", "intercode.models.base", "intercode.models.openai", "intercode.models.transformers"],
    "databases": ["intercode.databases", "intercode.databases.base"],
    "rewards": [
        "intercode.rewards",
        "intercode.rewards.base",
        "intercode.rewards.bash.final_state",
        "intercode.rewards.bash.paper",
        "intercode.rewards.bash.exact",
        "intercode.rewards.sql.paper",
        "intercode.rewards.sql.exact",
        "intercode.rewards.python.unit_tests",
        "intercode.rewards.ctf.flag",
        "intercode.rewards.swe.patch",
    ],
    "contracts": [
        "intercode.testing.sandbox",
        "intercode.testing.database",
        "intercode.testing.dataset",
        "intercode.testing.env",
        "intercode.testing.agent",
        "intercode.testing.reward",
    ],
    "datasets": ["intercode.datasets", "intercode.datasets.base", "intercode.datasets.challenges"],
    "sandboxes": ["intercode.sandboxes.base", "intercode.sandboxes.images"],
    "runs": ["intercode.runs.settings", "intercode.runs.job", "intercode.runs.store", "intercode.runs.sweep"],
    "reports": [
        "intercode.runs.report.summary",
        "intercode.runs.report.turns",
        "intercode.runs.report.comparison",
        "intercode.runs.report.actions",
        "intercode.runs.report.statistics",
    ],
    "registry": ["intercode.registry"],
}
"""A page's name, and the modules on it."""


def pages() -> dict[Path, str]:
    """Every page and what should be in it."""
    package = griffe.load("intercode", search_paths=[ROOT / "src"], resolve_aliases=False)
    made = {}
    for name, modules in PAGES.items():
        found = [package[module.removeprefix("intercode.")] for module in modules]
        parts = [_module(each) for each in found if isinstance(each, griffe.Object)]
        made[FOLDER / f"{name}.md"] = "\n".join([f"# Reference: {name}", HEAD, "", *parts])
    return made


def _module(module: griffe.Object) -> str:
    lines = [f"## `{module.path}`", _docs(module), ""]
    for member in _public(module):
        lines += _class(member) if isinstance(member, griffe.Class) else _described(member, "###")
    return "\n".join(lines)


def _class(found: griffe.Class) -> list[str]:
    """A class with its fields in one block, then those that have more to say, then its methods."""
    bases = ", ".join(str(base) for base in found.bases)
    members = _public(found)
    fields = [f"    {_value(each)}" for each in members if isinstance(each, griffe.Attribute) and _is_field(each)]
    code = "\n".join([f"class {found.name}({bases}):" if bases else f"class {found.name}:", *(fields or ["    ..."])])
    lines = [f"### `{found.name}`", f"```py\n{code}\n```", _docs(found), ""]
    told = [each for each in members if isinstance(each, griffe.Attribute) and _docs(each)]
    said = [f"- `{each.name}`: {indent(_docs(each), '  ').strip()}" for each in told]
    methods = [line for each in members if not isinstance(each, griffe.Attribute) for line in _described(each, "####")]
    return [*lines, *said, *[""] * bool(said), *methods]


def _is_field(member: griffe.Attribute) -> bool:
    return "property" not in member.labels


def _value(member: griffe.Attribute) -> str:
    annotation = f": {member.annotation}" if member.annotation else ""
    return f"{member.name}{annotation}" + (f" = {member.value}" if member.value is not None else "")


def _described(member: griffe.Object, heading: str) -> list[str]:
    """A function with its signature, a value that has something to say, or nothing."""
    if isinstance(member, griffe.Function):
        code = f"def {member.signature()}"
    elif isinstance(member, griffe.Attribute) and member.has_docstring:
        code = _value(member)
    else:
        return []
    return [f"{heading} `{member.name}`", f"```py\n{code}\n```", *filter(None, [_docs(member)]), ""]


def _public(parent: griffe.Object) -> list[griffe.Object]:
    """What is defined here and meant for others, in the order of the source."""
    own = [member for member in parent.members.values() if isinstance(member, griffe.Object) and not member.is_module]
    public = [member for member in own if not member.name.startswith("_")]
    return sorted(public, key=lambda member: member.lineno or 0)


def _docs(member: griffe.Object) -> str:
    return member.docstring.value.strip() if member.docstring else ""


def main() -> None:
    """Write them, or with `--check` exit with 1 where one is not current."""
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        sys.exit(f"not current: {', '.join(map(str, stale))}; run: make reference" if stale else 0)
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
