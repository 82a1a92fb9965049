"""An agent that asks a model: the conversation, the record of every call, and what all strategies have in common."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from intercode import worlds
from intercode.agents import parsers
from intercode.agents.base import Agent
from intercode.agents.core import demonstrations
from intercode.agents.core.message_history import MessageHistory, truncate_messages
from intercode.agents.parsers.base import ParsedReply
from intercode.agents.parsers.default import without_thinking
from intercode.conversation import Message, ModelCall, Reply, Tool, as_message
from intercode.errors import ContextOverflowError, UserError
from intercode.models.base import ChatModel
from intercode.types import Action, Observation, TaskView
from intercode.worlds import prompts
from intercode.worlds.prompts import Prompt


class ModelAgent(Agent):
    """Plays by what *model* answers. A strategy writes `decide`, and the prompts that it is made of.

    Options: `prompt` (a file instead of ours), `parser` (`default` or `paper`), `demos` (a file that `intercode demos`
    wrote), `dialogue_limit` (the paper's: only so many last messages are sent besides the opening, 0 for all),
    `observation_limit` (longer ones are cut in the middle, 10 000 characters).

    A conversation that is too long for the model is shortened by the rule of `MessageHistory`; when nothing is left to
    leave out, the agent hands in what it has.
    """

    needs_model: ClassVar[bool] = True
    strategy: ClassVar[str]
    """The folder of its prompts."""

    parts: ClassVar[tuple[str, ...]] = ("system", "first", "next", "no code")
    """What its prompts must have."""

    def __init__(
        self,
        *,
        model: ChatModel | None = None,
        prompt: str = "",
        parser: str = "",
        demos: str = "",
        dialogue_limit: str = "0",
        observation_limit: str = "10000",
        **options: str,
    ) -> None:
        super().__init__(**options)
        if model is None:
            raise UserError(f"the agent {self.strategy.replace('_', '-')} asks a model: name one with --model")
        self._model = model
        self._prompt_file, self._parser_name = prompt, parser
        self._demos = demonstrations.read(demos) if demos else ()
        self._dialogue_limit = count("dialogue_limit", dialogue_limit)
        self._observation_limit = count("observation_limit", observation_limit)
        self._thought, self._calls = "", list[ModelCall]()

    def check(self, tasks: Sequence[TaskView]) -> None:
        """Check that there is a prompt and a parser for the worlds of *tasks*.

        Raises:
            UserError: For worlds that it has no prompt or parser for.
        """
        for world in {task.world for task in tasks}:
            self._find_prompt(world)
            parsers.choose(self._parser_name, self.strategy, world)

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin a conversation."""
        self.task, self._seed = task, seed
        self.world = worlds.find(task.world)
        self.prompt = self._find_prompt(task.world)
        self._parse = parsers.choose(self._parser_name, self.strategy, task.world)
        self.dialogue = MessageHistory(self._dialogue_limit)
        self.last = Action("nothing")
        self._before: tuple[Message, ...] = ()
        self._offered: tuple[Tool, ...] = ()
        self._asked = 0
        self._thought, self._calls = "", []

    def act(self, observation: Observation, reward: float) -> Action:
        """The next action.

        Raises:
            ModelError: If the model gives no answer.
        """
        self._thought, self._calls = "", []
        try:
            return self.decide(observation, reward)
        except ContextOverflowError:
            return Action("submit")

    @abstractmethod
    def decide(self, observation: Observation, reward: float) -> Action:
        """The next action; `ask` asks the model."""

    @property
    def thought(self) -> str:
        """What the model wrote before its last action."""
        return self._thought

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """See `Agent.calls`."""
        return tuple(self._calls)

    # For strategies

    def tell(self, part: str, *, observation: Observation | None = None, **values: str) -> None:
        """Add a part of the prompt as the user's message, with *values* put in."""
        if observation is not None:
            values["observation"] = self.show_observation(observation)
        self.dialogue.add(Message("user", self.prompt.part(part, **values)), is_observation=observation is not None)

    def open(self, query: str) -> None:
        """The system's message, with demonstrations where there are any, and the first of the user."""
        demos = demonstrations.format_demonstrations(self._demos, self.task, self.write_turn)
        system = self.prompt.part("system", demonstrations=demos, shell=prompts.shell(self.shell))
        if demos and "{{demonstrations}}" not in self.prompt.parts["system"]:
            system = f"{system}\n\n{demos}"
        self.dialogue.add(Message("system", system))
        self.tell("first", query=query)

    def ask(self, tools: Sequence[Tool] = ()) -> Reply:
        """The model's answer to the conversation; it is not yet part of it.

        Raises:
            ContextOverflowError: If the conversation is longer than the model can read.
            ModelError: If the model gives no answer.
        """
        self._asked += 1
        seed = _seed_of(self._seed, self._asked)
        while True:
            messages = self.dialogue.question()
            try:
                reply = self._model.complete(messages, tools=tools, seed=seed)
            except ContextOverflowError:
                if not self.dialogue.forget():
                    raise
                continue
            self._calls.append(self._record(messages, reply, tuple(tools)))
            return reply

    def read(self, reply: Reply) -> Action:
        """The action in *reply*, which becomes part of the conversation; `nothing` where it holds no code."""
        parsed = self._parse(reply.text)
        self._thought = "\n\n".join(filter(None, (reply.reasoning.strip(), parsed.thought)))
        self.dialogue.add(Message("assistant", self._as_history(reply, parsed)))
        self.last = parsed.action or Action("nothing", self.prompt.part("no code"))
        return self.last

    def show_observation(self, observation: Observation) -> str:
        """An observation as the model sees it."""
        return truncate_messages(observation.text, self._observation_limit).rstrip("\n") or "(no output)"

    def write_turn(self, thought: str, action: Action) -> str:
        """A turn as the model is to write it, for demonstrations."""
        return f"{thought}\n```{self.world.language}\n{action}\n```".strip()

    def _as_history(self, reply: Reply, parsed: ParsedReply) -> str:
        """The published harness kept the action alone; else it is the whole reply, without its thinking."""
        if self._parser_name == "paper" and self.strategy != "react" and parsed.action is not None:
            return str(parsed.action)
        return without_thinking(reply.text) or reply.text

    def _record(self, messages: tuple[Message, ...], reply: Reply, tools: tuple[Tool, ...]) -> ModelCall:
        kept = next(
            (at for at, pair in enumerate(zip(self._before, messages, strict=False)) if pair[0] != pair[1]),
            min(len(self._before), len(messages)),
        )
        self._before = (*messages, as_message(reply))
        offered, self._offered = () if tools == self._offered else tools, tools
        return ModelCall(kept, messages[kept:], reply, offered)

    def _find_prompt(self, world: str) -> Prompt:
        prompt = prompts.find(self.strategy, world, self._prompt_file)
        prompt.require(self.parts)
        return prompt


def count(name: str, text: str) -> int:
    """An agent's option that is a whole number from 0.

    Raises:
        UserError: If it is something else.
    """
    if not text.isdecimal():
        raise UserError(f"the agent option {name} is a whole number from 0, not {text!r}")
    return int(text)


def _seed_of(seed: int, number: int) -> int:
    """Each question's own seed, 31 bits (servers take no more), from the episode's."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{number}".encode()).digest()[:4], "big") >> 1
