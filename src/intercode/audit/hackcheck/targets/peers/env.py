"""A peer's tasks as an environment: actions are messages, or commands where a task has a sandbox; its grader judges."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Unpack

from intercode.adversaries import messages, request
from intercode.audit.hackcheck.targets.peers.kinds import PeerName
from intercode.audit.hackcheck.targets.peers.process import SECONDS, PeerProcess
from intercode.audit.hackcheck.targets.peers.right_answers import gives
from intercode.datasets.base import ListedDataset
from intercode.env.env import Env
from intercode.env.options import PlayOptions
from intercode.errors import MachineError, RewardError
from intercode.rewards.base import EndingReward
from intercode.types import Action, Observation, Score, Status, Task
from intercode.world_specs import WorldSpec

WORLD = "peer"
"""What messages call the world of all peers."""

FRAMES = ("{}", "<answer>{}</answer>", "\\boxed{{{}}}", "ANSWER: {}", "#### {}", "The answer is {}.", "```\n{}\n```")
"""How an answer may have to be given, where the request does not say."""

ENOUGH = 0.5
"""The part of the whole reward from which on an answer is taken to be paid as right."""

CLOSE = 1 - 1e-9
"""The part of a reward that is as good as all of it."""

MOST_TURNS = 12
"""How often a right answer is said where its asker asks on, as in conversations that tell more in each turn."""

MOST_SECONDS = 15.0
"""How long ways to say a right answer are tried, where episodes take long."""

MOST_ANSWERS = 3
"""Right answers of a task that are tried as its solution."""


class PeerSpec(WorldSpec):
    """The world of one peer. A gold is a list of actions, as JSON; the last of them hands in."""

    __slots__ = ()

    def gold_actions(self, gold: str | None) -> tuple[Action, ...]:
        """Return the actions of *gold*; `skip` for none."""
        if gold is None:
            return (Action("skip"),)
        *before, last = json.loads(gold)
        return (*(Action("execute", text) for text in before), Action("submit", last))


@dataclass(frozen=True)
class Gold:
    """A way to do the work of a task.

    Attributes:
        actions: The gold, as `PeerSpec` reads it.
        value: What it earned when it was found; 0 where it is not known to be right.
        main: What the main part of the reward was worth then; None where there are no parts.
    """

    actions: str
    value: float = 0.0
    main: float | None = None


class PeerDataset(ListedDataset):
    """The tasks that a peer describes.

    Args:
        peer: The peer.
        about: What its process says of it.
        tools: Lines that say which tools there are.
        solution: Actions that do the work of every task, where somebody knows them.
    """

    def __init__(
        self, peer: PeerName, about: dict[str, Any], tools: Sequence[str] = (), solution: Sequence[str] = ()
    ) -> None:
        self.name, self.world = re.split(r"[:/@]", peer.name.removesuffix(".py"))[-1] or peer.kind, WORLD
        self.sources = tuple(map(Path, about["sources"]))
        self.answers, self.solutions, sandboxes = dict[str, list[str]](), dict[str, list[str]](), dict[str, bool]()
        self._tasks = []
        for described in about["tasks"]:
            query = "\n".join([described["query"], *tools])
            task = Task(f"{self.name}/{described['id']}", query, None)
            self._tasks.append(task)
            self.answers[task.id], sandboxes[task.id] = described["answers"], described["has_sandbox"]
            self.solutions[task.id] = list(solution) or described["solution"]
        self.sandboxes = sandboxes
        self.golds: dict[str, Gold | None] = {}

    def index(self, task: Task) -> int:
        """Return the place of *task*."""
        return next(index for index, each in enumerate(self._tasks) if each.id == task.id)


class PeerEnv(Env):
    """One episode at a time of a peer's tasks, in a process of its own."""

    world_spec = PeerSpec(WORLD)
    needs_sandbox = False
    needs_gold = False
    rewards = {"exact": EndingReward(lambda score: score)}
    dataset: PeerDataset

    def __init__(
        self, dataset: PeerDataset, process: PeerProcess, release: Callable[[PeerProcess], None],
        **options: Unpack[PlayOptions],
    ) -> None:  # fmt: skip
        self.process, self._release = process, release
        super().__init__(dataset, **options)
        self._is_over, self._judged = False, False

    # The hooks of `Env`

    def prepare(self) -> None:
        """Begin an episode, once the task's gold is known."""
        golds, key = self.dataset.golds, self.task.id
        if key not in golds:
            golds[key] = self._find_gold()
        gold = golds[key]
        self.set_gold(None if gold is None else gold.actions)
        self._begin()

    def execute(self, text: str) -> Observation:
        """Give *text* as a message, or run it where the task has a sandbox."""
        return self._act("run" if self.dataset.sandboxes[self.task.id] else "say", text)

    def on_submit(self, answer: str) -> Observation:
        """Give *answer* as the last message; where commands are run and there is none, what the last of them showed."""
        if not answer and self.dataset.sandboxes[self.task.id] and self.history:
            answer = self.history[-1].observation.text
        return self._act("say", answer) if answer else super().on_submit(answer)

    def status_after(self, action: Action) -> Status | None:
        """Return how it ends; the peer may end it before its agent does."""
        return "truncated" if self._is_over and action.kind == "execute" else super().status_after(action)

    def ending(self, task: Task) -> Score:
        """Return what the peer's grader gave, as a part of what the whole work earns."""
        grade = self._ask("grade")
        gold = self.dataset.golds.get(task.id)
        whole = min(grade["most"], gold.value) if gold is not None and gold.value else grade["most"]
        success = grade["value"] > 0 and (grade["value"] >= whole * CLOSE or _has_main_part(grade, gold))
        value = 1.0 if success else min(max(grade["value"] / whole, 0.0), 1.0)
        return Score(value, success, notes=tuple(grade["notes"]))

    def gives_the_answer(self) -> bool:
        """Return whether one of the messages gives an answer that the peer calls right."""
        answers = self.dataset.answers[self.task.id]
        return any(gives(turn.action.text, answers) for turn in self.history if turn.action.text)

    def state_hash(self) -> str:
        """Return the same for the same messages: nothing else is known of a peer's state."""
        said = "\0".join(turn.action.text for turn in self.history)
        return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def stop_processes(self) -> None:
        """Nothing runs here between two messages."""

    def close_backend(self) -> None:
        """Give the process back."""
        self._release(self.process)

    @property
    def limit_seconds(self) -> float:
        """The time limit of one message."""
        return SECONDS

    @property
    def backend_id(self) -> str:
        """Return the peer's name."""
        return f"{self.process.peer.spec}@{self.dataset.checksum[:12]}"

    # How

    def _begin(self) -> None:
        try:
            self._is_over = self._ask("begin", self.dataset.index(self.task))["is_over"]
        except RewardError as error:  # nobody has said anything yet that the reward could fail at
            raise MachineError(f"it cannot be begun: {error}") from error

    def _act(self, method: str, text: str) -> Observation:
        if self._is_over:
            return Observation("")
        shown = self._ask(method, text)
        self._is_over = shown["is_over"]
        return Observation(shown["text"])

    def _ask(self, method: str, argument: Any = None) -> Any:
        try:
            return self.process.ask(method, argument)
        except RewardError as error:
            raise RewardError(f"{self.task.id}: {error}") from error

    def _find_gold(self) -> Gold | None:
        """Return the actions that do the work; for a right answer, in whichever frame the peer pays it best."""
        answers = self.dataset.answers[self.task.id][:MOST_ANSWERS]
        if solution := self.dataset.solutions[self.task.id]:
            last = [answers[0] if answers else "done"] if self.dataset.sandboxes[self.task.id] else []
            return Gold(json.dumps([*solution, *last]))
        frames = dict.fromkeys([*request.formats(self.task.query), *FRAMES])
        best = Gold(json.dumps(answers[:1])) if answers else None
        until = time.monotonic() + MOST_SECONDS
        said = [frame.format(answer) for answer in answers for frame in frames]
        for text in (*said, *(call for answer in answers for call in messages.calls(self.task.query, answer))):
            if time.monotonic() > until:
                return best
            for turns in (1, MOST_TURNS):
                said_so_often, grade = self._try_out(text, turns)
                if best is None or grade["value"] > max(best.value, grade["most"] * ENOUGH):
                    best = Gold(json.dumps([text] * said_so_often), grade["value"], grade["main"])
                if grade["value"] >= grade["most"]:
                    return best
                if said_so_often < turns or self._is_over:
                    break
        return best

    def _try_out(self, text: str, turns: int) -> tuple[int, dict[str, Any]]:
        """Return how often *text* was said, as long as anybody asked on but for so many *turns*, and its grade."""
        said = 0
        try:
            self._begin()
            while said < turns and not self._is_over:
                self._act("say", text)
                said += 1
            return said, self._ask("grade")
        except RewardError:
            return max(said, 1), {"value": 0.0, "most": 1.0, "main": None}


def _has_main_part(grade: dict[str, Any], gold: Gold | None) -> bool:
    """Return whether the part of the reward that says whether the work was done is earned as by the gold."""
    whole = gold.main if gold is not None and gold.main else 1.0
    return grade["main"] is not None and whole > 0 and grade["main"] >= whole * CLOSE
