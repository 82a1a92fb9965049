"""The Python world: code in an interpreter that stays."""

from __future__ import annotations

import warnings
from pathlib import Path

from intercode.world_specs.spec import WorldSpec


def is_unfinished(text: str) -> bool:
    """Return whether Python would ask for more: brackets or a block are open, or an empty line has to end a block."""
    from codeop import compile_command

    *before, last = text.split("\n")
    if before and last[:1] in (" ", "\t") and last.strip():
        return True
    with warnings.catch_warnings(action="ignore"):
        try:
            return compile_command(text.strip(), symbol="exec") is None
        except (SyntaxError, ValueError, OverflowError):
            return False


SPEC = WorldSpec(
    "python",
    title="Python",
    language="python",
    fences=("python", "py", "python3", "pycon"),
    tool="run_python",
    tool_argument="code",
    answer="the name of your function, or the whole text of your program",
    has_alternatives=False,
    starter="starter-python",
    material="tests",
    template=Path(__file__).parent / "template",
    prompts=Path(__file__).parent / "prompts",
    is_unfinished=is_unfinished,
    reading_words=("print", "help", "dir", "type"),
    adversaries="intercode.worlds.python.adversaries:ADVERSARIES",
)
