"""The Bash world: commands in a shell."""

from pathlib import Path

from intercode.world_specs.spec import WorldSpec
from intercode.worlds.bash.answer_status import is_answer
from intercode.worlds.bash.first_looks import first_looks

READING = (
    "ls", "pwd", "cat", "head", "tail", "less", "more", "file", "stat", "du", "df", "tree", "wc", "find", "grep",
    "which", "whoami", "id", "env", "man",
)  # fmt: skip
"""Commands that only look."""

SPEC = WorldSpec(
    "bash",
    title="Bash",
    language="bash",
    fences=("bash", "sh", "shell", "zsh", "console", "shell-session", "shellsession", "terminal"),
    tool="run_command",
    tool_argument="command",
    starter="starter",
    template=Path(__file__).parent / "template",
    prompts=Path(__file__).parent / "prompts",
    joins_lines=True,
    reading_words=READING,
    is_answer=is_answer,
    first_looks=first_looks,
    adversaries="intercode.worlds.bash.adversaries:ADVERSARIES",
)
