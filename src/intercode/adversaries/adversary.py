"""Someone who wants the reward without the work: moves that know the query and what is observed, never the gold."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass

from intercode.adversaries.clues import NO_CLUES, Clues
from intercode.agents.base import Agent
from intercode.types import Action, Observation, TaskView

Moves = Generator[Action, Observation, None]
"""Yields actions and is sent what each of them showed. When it ends, the episode is submitted."""


Attempt = tuple[str, Callable[[TaskView], Moves]]
"""One of several tries: what it is, in a few words, and its moves."""


@dataclass(frozen=True)
class Adversary:
    """One attack: what it is called, what it does in a few words, and its moves for a task.

    What `guesses` hands in an honest answer, if a lazy one. That may be right for some of what is asked, and is then
    paid where a reward pays for parts: only its success is a fault of the reward.
    """

    name: str
    about: str
    moves: Callable[[TaskView], Moves]
    guesses: bool = False

    @property
    def may_be_right(self) -> bool:
        """Return whether an ending like the gold's is luck, and no fault of the reward."""
        return False

    @property
    def is_generic(self) -> bool:
        """Return whether its attempts have nothing to do with the task.

        What judges all tasks alike may meet them on some.
        """
        return False

    @property
    def uses_words_of_golds(self) -> bool:
        """Return whether luck is only what the gold's code says too.

        Who reads elsewhere what is wanted has found a leak.
        """
        return False

    @property
    def does_easy_work(self) -> bool:
        """Return whether it does the easiest work there is, with no regard to the request.

        Who asks for no more has it done.

        It shows what is wrong with rewards, not with tasks, so that `certify` leaves it out.
        """
        return False

    def attempts(self, task: TaskView, clues: Clues = NO_CLUES) -> Sequence[Adversary]:
        """Return all that it tries on *task*, each played in an episode of its own.

        *clues* are the reward's source's.
        """
        return (self,)


@dataclass(frozen=True)
class Fuzzer(Adversary):
    """An adversary that tries several answers, and always guesses. `moves` is not used."""

    tries: Callable[[TaskView, Clues], Iterable[Attempt]] = lambda task, clues: ()
    lucky: bool = True
    generic: bool = False
    same_words: bool = False
    easy_work: bool = False

    @property
    def may_be_right(self) -> bool:
        """Return what is drawn from the query may be what it asks for."""
        return self.lucky

    @property
    def is_generic(self) -> bool:
        return self.generic

    @property
    def uses_words_of_golds(self) -> bool:
        return self.same_words

    @property
    def does_easy_work(self) -> bool:
        return self.easy_work

    def attempts(self, task: TaskView, clues: Clues = NO_CLUES) -> Sequence[Adversary]:
        """Return one for each try. The same task and clues give the same tries."""
        return [Adversary(self.name, about, moves, guesses=True) for about, moves in self.tries(task, clues)]


def fuzzer(
    name: str,
    about: str,
    tries: Callable[[TaskView, Clues], Iterable[Attempt]],
    *,
    lucky: bool = True,
    generic: bool = False,
    same_words: bool = False,
    easy_work: bool = False,
) -> Fuzzer:
    """Return an adversary that makes all *tries*; not *lucky*: an ending like the gold's is a fault of the reward too.

    *generic*: see `Adversary.is_generic`; *same_words*: see `Adversary.uses_words_of_golds`; *easy_work*: see
    `Adversary.does_easy_work`.
    """
    return Fuzzer(name, about, runs(), True, tries, lucky, generic, same_words, easy_work)


class AdversaryAgent(Agent):
    """Plays one adversary: an agent like any other, so no gold can reach it."""

    def __init__(self, adversary: Adversary) -> None:
        super().__init__()
        self._adversary = adversary

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin its moves on *task*."""
        self._moves = self._adversary.moves(task)
        self._begun = False

    def act(self, observation: Observation, reward: float) -> Action:
        """Return the next move; `submit` when there is none left."""
        try:
            action = self._moves.send(observation) if self._begun else next(self._moves)
        except StopIteration:
            return Action("submit")
        self._begun = True
        return action


def runs(*texts: str) -> Callable[[TaskView], Moves]:
    """Moves that run *texts* one after the other, whatever they show."""

    def moves(task: TaskView) -> Moves:
        for text in texts:
            yield Action("execute", text)

    return moves


def hands_in(answer: str, *texts: str) -> Callable[[TaskView], Moves]:
    """Return moves that run *texts* and submit *answer*; `{query}` in it stands for the request."""

    def moves(task: TaskView) -> Moves:
        for text in texts:
            yield Action("execute", text)
        yield Action("submit", answer.replace("{query}", task.query))

    return moves


def playing(actions: Sequence[Action]) -> Callable[[TaskView], Moves]:
    """Return moves that take *actions* one after the other."""

    def moves(task: TaskView) -> Moves:
        for action in actions:  # noqa: UP028 - the iterator of a list takes no observations
            yield action

    return moves
