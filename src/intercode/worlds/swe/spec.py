"""The world of software engineering: a shell in a repository, judged by hidden tests."""

from dataclasses import replace
from pathlib import Path

from intercode.worlds.bash.spec import SPEC as BASH

SPEC = replace(
    BASH,
    name="swe",
    title="SWE",
    has_alternatives=False,
    has_criteria=False,
    starter="starter-swe",
    material="repositories",
    template=None,
    prompts=Path(__file__).parent / "prompts",
    adversaries="intercode.worlds.swe.adversaries:ADVERSARIES",
)
