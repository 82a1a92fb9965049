"""The promise of a world's description: what agents, commands and reports may know of it, and nothing of its golds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from intercode.types import Action

Material = Literal["", "databases", "challenges", "repositories", "tests", "task folders"]
"""What a data set brings besides the tasks: databases, flags with their services, repositories, hidden tests, or all
that is in a folder for each."""


def _is_whole(text: str) -> bool:
    return False


def _never(code: str, status: int) -> bool:
    return False


def _itself(text: str) -> str:
    return text


def _no_look(query: str, gold: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """A world's name, its language, and what an action, an answer and a gold are in it.

    Only `name` is needed. Agents can ask models to play the world once there is `about` and `code`, or `prompts`.

    Attributes:
        name: What data sets and `--world` call it.
        title: How people write it: the environment is `intercode/TITLE-v1`. It is the name unless given.
        language: What its code is called in fences and highlighted as; "" for none.
        fences: Names of the fences that hold actions. Empty: `language`, or any fence where there is no language.
        tool: The function that `tool_use` offers for an action.
        tool_argument: The one argument of that function.
        answer: What `submit` takes, as prompts say it (`the flag`); "" where it takes nothing.
        answer_pattern: A regular expression. Agents that hand in by themselves submit the first match in the last
            output.
        gold_is_answer: The gold is what is submitted, and no code.
        has_alternatives: A task may have several golds.
        has_criteria: A task may name `Criteria`.
        starter: The data set that is played unless another is named.
        material: What its data sets bring besides tasks.
        template: The folder that `intercode new --world NAME` copies.
        about: What the agent works on, for prompts: `a MySQL database`.
        code: What an action is, for prompts: `one SQL statement`.
        rules: What else a model should know, a sentence or a few for each.
        prompts: A folder with prompts of its own: `STRATEGY.md` goes before the general one.
        joins_lines: A backslash at the end of a line is part of the language, as in a shell.
        is_unfinished: Whether somebody who typed this text is to type another line.
        reading_words: First words of actions that only look; reports tell them from work.
        is_answer: Whether code that ended in this exit status, other than 0, gave an answer by it, as `grep` says
            "none" by 1; reports tell such actions from errors.
        reading_actions: Actions that show what there is. `intercode hackcheck` hands in what they show.
        first_looks: What somebody who works with care looks at before acting, by a task's query and its gold: the
            form of a file, the columns of a table. For demonstrations.
        says: The action that prints a text.
        adversaries: Where `intercode hackcheck` finds a sequence of `Adversary`, `MODULE:NAME`; "": the general ones.
    """

    name: str
    title: str = ""
    language: str = ""
    fences: tuple[str, ...] = ()
    tool: str = "run_code"
    tool_argument: str = "code"
    answer: str = ""
    answer_pattern: str = ""
    gold_is_answer: bool = False
    has_alternatives: bool = True
    has_criteria: bool = True
    starter: str = ""
    material: Material = ""
    template: Path | None = None
    about: str = ""
    code: str = ""
    rules: tuple[str, ...] = ()
    prompts: Path | None = None
    joins_lines: bool = False
    is_unfinished: Callable[[str], bool] = _is_whole
    reading_words: tuple[str, ...] = ()
    is_answer: Callable[[str, int], bool] = _never
    reading_actions: tuple[str, ...] = ()
    first_looks: Callable[[str, str], tuple[str, ...]] = _no_look
    says: Callable[[str], str] = _itself
    adversaries: str = ""

    def gold_actions(self, gold: str | None) -> tuple[Action, ...]:
        """Return all actions of an episode that is played by its gold.

        Args:
            gold: The task's gold; None for a task that has none.

        Returns:
            The actions, from the first to the one that ends the episode. Without a gold: `skip`.
        """
        if gold is None:
            return (Action("skip"),)
        if self.gold_is_answer:
            return (Action("submit", gold),)
        return (Action("execute", gold), Action("submit"))

    def accepts_fence(self, language: str) -> bool:
        """Return whether a fence with that name holds an action."""
        accepted = self.fences or ((self.language,) if self.language else ())
        return not accepted or language in accepted
