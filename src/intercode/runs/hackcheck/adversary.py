"""Someone who wants the reward without the work: moves that know the query and what is observed, never the gold."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass

from intercode.agents.base import Agent
from intercode.runs.hackcheck.clues import NO_CLUES, Clues
from intercode.types import Action, Observation, TaskView

Moves = Generator[Action, Observation, None]
"""Yields actions and is sent what each of them showed. When it ends, the episode is submitted."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The most that an attempt can do, as far as that is known without playing it.

    Attributes:
        shows: What its last action shows; None where that is not known.
        makes: Whatever it changes by more than a time is gone afterwards, is a folder, or is a file with one of these
            contents, and no time is set but by the clock; None where it may make anything.
        folders: Whether it may make folders.
        removes: Whether it may remove anything.
        surely: Files that are there when it ends, if they can be made at all.
        line: A regular expression of which the last action shows a line, if it shows any at all. "" if none is known.
        defines: Whether its actions may define anything that can be called.
    """

    shows: str | None = None
    makes: frozenset[str] | None = None
    folders: bool = True
    removes: bool = True
    surely: frozenset[str] = frozenset()
    line: str = ""
    defines: bool = True


UNKNOWN = Effect()

READS = Effect(makes=frozenset(), folders=False, removes=False)
"""Of an attempt that only looks."""

DELETES = Effect(shows="", makes=frozenset(), folders=False)
"""Of an attempt that only deletes, and says nothing."""


def writes(*contents: str, shows: str | None = "", folders: bool = False) -> Effect:
    """Of an attempt that writes one of *contents* into files, and removes none."""
    return Effect(shows, frozenset(contents), folders, removes=False)


Attempt = tuple[str, Callable[[TaskView], Moves]] | tuple[str, Callable[[TaskView], Moves], Effect]
"""What one of several tries is, in a few words, its moves, and what these can do at most."""


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
    effect: Effect = UNKNOWN

    @property
    def may_be_right(self) -> bool:
        """Whether an ending like the gold's is luck, and no fault of the reward."""
        return False

    @property
    def is_generic(self) -> bool:
        """Whether its attempts have nothing to do with the task: what judges all tasks alike may meet them on some."""
        return False

    @property
    def uses_words_of_golds(self) -> bool:
        """Whether luck is only what the gold's code says too: who reads elsewhere what is wanted has found a leak."""
        return False

    @property
    def does_easy_work(self) -> bool:
        """Whether it does the easiest work there is, with no regard to the request: who asks for no more has it done.

        It shows what is wrong with rewards, not with tasks, so that `certify` leaves it out.
        """
        return False

    def attempts(self, task: TaskView, clues: Clues = NO_CLUES) -> Sequence[Adversary]:
        """All that it tries on *task*, each played in an episode of its own; *clues* are the reward's source's."""
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
        """What is drawn from the query may be what it asks for."""
        return self.lucky

    @property
    def is_generic(self) -> bool:
        """See `Adversary.is_generic`."""
        return self.generic

    @property
    def uses_words_of_golds(self) -> bool:
        """See `Adversary.uses_words_of_golds`."""
        return self.same_words

    @property
    def does_easy_work(self) -> bool:
        """See `Adversary.does_easy_work`."""
        return self.easy_work

    def attempts(self, task: TaskView, clues: Clues = NO_CLUES) -> Sequence[Adversary]:
        """One for each try. The same task and clues give the same tries."""
        return [self._attempt(each) for each in self.tries(task, clues)]

    def _attempt(self, attempt: Attempt) -> Adversary:
        effect = attempt[2] if len(attempt) == 3 else UNKNOWN
        return Adversary(self.name, attempt[0], attempt[1], guesses=True, effect=effect)


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
    """An adversary that makes all *tries*; not *lucky*: an ending like the gold's is a fault of the reward too.

    *generic*: see `Adversary.is_generic`; *same_words*: see `Adversary.uses_words_of_golds`; *easy_work*: see
    `Adversary.does_easy_work`.
    """
    return Fuzzer(name, about, runs(), True, UNKNOWN, tries, lucky, generic, same_words, easy_work)


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
        """The next move; `submit` when there is none left."""
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
    """The same, and then *answer* is submitted; `{query}` in it stands for the request."""

    def moves(task: TaskView) -> Moves:
        for text in texts:
            yield Action("execute", text)
        yield Action("submit", answer.replace("{query}", task.query))

    return moves
