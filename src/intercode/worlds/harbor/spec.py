"""The world of Harbor's tasks: a shell in an environment that the task brings, judged by the task's own script."""

from dataclasses import replace
from pathlib import Path

from intercode.worlds.bash.spec import SPEC as BASH

SPEC = replace(
    BASH,
    name="harbor",
    title="Harbor",
    has_alternatives=False,
    has_criteria=False,
    starter="",
    material="task folders",
    template=None,
    prompts=Path(__file__).parent / "prompts",
    adversaries="",
)
