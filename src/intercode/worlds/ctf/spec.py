"""The world of capture the flag: a shell, and a flag to hand in."""

from dataclasses import replace
from pathlib import Path

from intercode.worlds.bash.spec import SPEC as BASH

SPEC = replace(
    BASH,
    name="ctf",
    title="CTF",
    answer="the whole flag",
    answer_pattern=r"\w+\{[^{}\n]+\}",
    gold_is_answer=True,
    has_alternatives=False,
    has_criteria=False,
    starter="starter-ctf",
    material="challenges",
    template=Path(__file__).parent / "template",
    prompts=Path(__file__).parent / "prompts",
    adversaries="intercode.worlds.ctf.adversaries:ADVERSARIES",
)
