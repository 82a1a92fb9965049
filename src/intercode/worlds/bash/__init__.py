"""The Bash world: commands in a shell."""

from pathlib import Path

from intercode.worlds.spec import WorldSpec

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
    prompts=Path(__file__).parent / "prompts",
    joins_lines=True,
    reading_words=READING,
    adversaries="intercode.runs.hackcheck.adversaries.bash:ADVERSARIES",
)
