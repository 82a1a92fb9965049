"""A person at the keyboard: lines are read with readline, and kept in a history."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar

from intercode import world_specs
from intercode.agents.base import Agent
from intercode.errors import InterruptedRunError
from intercode.types import DEFAULT_WORLD, Action, Observation, TaskView
from intercode.util.terminal import escape_control_characters
from intercode_sandbox.util import paths
from intercode_sandbox.util.text import did_you_mean

HELP = """\
Type code and press Enter: it is run, and what it did is shown.
  submit     hand in: the episode ends and is judged
  skip       give the task up, unscored; so does :quit, or Ctrl-D
  \\          at the end of a line: the action goes on in the next line
             (Python: a block does, up to an empty line)
  :help      these lines
  Tab        complete what stands here, and paths and words shown before
  Ctrl-C     forget the line being typed, or stop the code that runs;
             twice in a row: stop altogether"""


COMMAND = re.compile(r":[a-z]+")
"""A word for the prompt itself; `: > file` is a command of a shell."""

COMMANDS = (":help", ":quit")

WORD = re.compile(r"[\w./-]{3,}")
"""What is worth completing of what was shown: names and paths."""

LONGEST = 100_000
"""Characters of an observation that are looked through for such words."""


class HumanAgent(Agent):
    """Asks whoever sits at the terminal. `history` is the file that typed lines are kept in."""

    interactive: ClassVar[bool] = True

    ask: Callable[[str], str] = staticmethod(input)
    """Prompt in, the typed line out; raises EOFError where there is no more."""

    turns_before: int = 0
    """How many turns others take before this agent is asked for the first time."""

    def __init__(self, *, history: str = "", **options: str) -> None:
        super().__init__(**options)
        self._history = Path(history) if history else paths.state() / "history"
        self._remember: Callable[[], None] | None = None
        self._words = {"submit", "skip", *COMMANDS}
        self._world = world_specs.from_name(DEFAULT_WORLD)
        self._turn = 0

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin an episode: say which task it is."""
        self._remember = self._remember or _open_history(self._history)
        _complete(self._words)
        self._world, self._turn = world_specs.find(task.world), self.turns_before
        level = f" ({task.difficulty})" if task.difficulty else ""
        print(f"\n{task.id}{level}\n:help for help, submit to hand in, :quit to leave\n")

    def act(self, observation: Observation, reward: float) -> Action:
        """Show *observation* and ask for the next action.

        Raises:
            InterruptedRunError: After Ctrl-C twice.
        """
        show_observation(observation, reward, is_prose=self._turn == 0)
        self._turn += 1
        self._words.update(WORD.findall(observation.text[:LONGEST]))
        while not (text := self._ask()) or (COMMAND.fullmatch(text) and text != ":quit"):
            if text:
                print(HELP if text == ":help" else _refusal(text))
        return Action("skip") if text == ":quit" else Action.parse(text)

    def _ask(self) -> str:
        """Return one action as typed, "" for an empty line; what stands after Ctrl-D is `:quit`."""
        for _ in range(2):
            try:
                return self._read_lines()
            except EOFError:
                print()
                return ":quit"
            except KeyboardInterrupt:
                print("\n(Ctrl-C once more to stop, :quit to give the task up)")
        raise InterruptedRunError("stopped at the keyboard")

    def _read_lines(self) -> str:
        lines = [self._read_line(f"{self._turn}> ")]
        while lines[-1].endswith("\\") or self._is_unfinished(lines):
            lines.append(self._read_line("… "))
        if self._world.joins_lines:
            return "\n".join(lines).strip()
        return _join_lines(lines)

    def _is_unfinished(self, lines: Sequence[str]) -> bool:
        """Return whether the world's language would ask for more."""
        is_code = Action.parse(_join_lines(lines)).kind == "execute"
        return is_code and self._world.is_unfinished("\n".join(line.removesuffix("\\") for line in lines))

    def _read_line(self, prompt: str) -> str:
        line = self.ask(prompt)
        if self._remember is not None and line:
            self._remember()
        return line


def _join_lines(lines: Sequence[str]) -> str:
    return "\n".join(line.removesuffix("\\") for line in lines).strip()


def _refusal(command: str) -> str:
    """Return what is said of a *command* of the prompt that there is not."""
    hint = did_you_mean(command, COMMANDS)
    return f"there is no {command} here: :help lists what there is" + (f". {hint}" if hint else "")


def show_observation(observation: Observation, reward: float, *, is_prose: bool = False) -> None:
    """Print what is observed, and what a person should know besides; a terminal has prose wrapped between words."""
    text = escape_control_characters(observation.text)
    if is_prose and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        text = "\n".join(textwrap.fill(line, width) if len(line) > width else line for line in text.split("\n"))
    if text:
        print(text, end="" if text.endswith("\n") else "\n")
    notes = [
        *observation.notes(observation.text),
        f"reward {reward:.2f}" if reward else "",
    ]
    if any(notes):
        print(f"[{', '.join(filter(None, notes))}]")


def _complete(words: set[str]) -> None:
    """Have Tab complete the *words*, to which more may be added: of the world's files a prompt knows those shown."""
    try:
        import readline
    except ImportError:  # as in `_open_history`
        return

    def complete_word(typed: str, number: int) -> str | None:
        if not typed:  # an indentation
            readline.insert_text("\t" if number == 0 else "")
            return None
        return next(islice((word for word in sorted(words) if word.startswith(typed)), number, None), None)

    readline.set_completer(complete_word)
    readline.set_completer_delims(" \t\n\"'`=<>|&;()$")
    readline.parse_and_bind("tab: complete")


def _open_history(path: Path) -> Callable[[], None]:
    """Load the lines of earlier sittings; what is returned adds the line just typed to the file."""
    try:
        import readline
    except ImportError:  # a Python built without it: lines can be typed, not recalled
        return lambda: None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        readline.read_history_file(path)
    except OSError:  # nowhere to keep them: no reason not to play
        return lambda: None
    return lambda: readline.append_history_file(1, path)
