"""An agent that asks a model: the conversation, the record of every call, and what all strategies have in common."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from intercode import world_specs
from intercode.agents import parsers
from intercode.agents.base import Agent
from intercode.agents.model_agents import demonstrations
from intercode.agents.model_agents.message_history import MessageHistory, truncate_messages
from intercode.agents.parsers.default import without_thinking
from intercode.agents.parsers.parsed_reply import ParsedReply
from intercode.errors import ContextOverflowError, UserError
from intercode.models.base import ChatModel, prepare
from intercode.types import Action, Observation, TaskView, Trajectory, Turn
from intercode.types.conversation import Message, ModelCall, Reply, Tool, as_message
from intercode.world_specs import prompts
from intercode.world_specs.prompts import PromptFile


class ModelAgent(Agent):
    """Plays by what *model* answers. A strategy writes `decide`, and the prompts that it is made of.

    Options: `prompt` (a file instead of ours), `parser` (`default`, `bare` or `paper`), `demos` (a file that `intercode
    demos` wrote, or `starter`), `dialogue_limit` (the paper's: only so many last messages are sent besides the opening,
    0 for all), `observation_limit` (longer ones are cut in the middle, 10 000 characters).

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
        self._note = ""

    def prepare(self) -> None:
        prepare(self._model)

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
        self.world = world_specs.find(task.world)
        self.prompt = self._find_prompt(task.world)
        self._parse = parsers.choose(self._parser_name, self.strategy, task.world)
        self.dialogue = MessageHistory(self._dialogue_limit)
        self.last = Action("nothing")
        self._before: tuple[Message, ...] = ()
        self._offered: tuple[Tool, ...] = ()
        self._asked = 0
        self._thought, self._calls, self._note = "", [], ""

    def act(self, observation: Observation, reward: float) -> Action:
        """Return the next action.

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
        """Return the next action; `ask` asks the model."""

    @property
    def thought(self) -> str:
        """Return what the model wrote before its last action."""
        return self._thought

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        return tuple(self._calls)

    # For strategies

    def tell(self, part: str, *, observation: Observation | None = None, **values: str) -> None:
        """Add a part of the prompt as the user's message, with *values* put in."""
        if observation is not None:
            values["observation"] = self.observe(observation)
        self.dialogue.add(Message("user", self.prompt.part(part, **values)), is_observation=observation is not None)

    def open(self, query: str) -> None:
        """The system's message, demonstrations where there are any, and the first message of the user."""
        found = demonstrations.select(self._demos, self.task)
        episodes = [episode for episode in found if self.steps_to_show(episode)]
        examples = [message for each in episodes for message in self.demonstrate(each)]
        told = _announce(len(episodes))
        if self._parser_name == "paper":
            examples, told = [], demonstrations.as_text(found, self.write_paper_turn)
        system = self.prompt.part("system", demonstrations=told, shell=prompts.shell(self.shell))
        if told and "{{demonstrations}}" not in self.prompt.parts["system"]:
            system = f"{system}\n\n{told}"
        self.dialogue.add(Message("system", system))
        for message in examples:
            self.dialogue.add(replace(message, is_example=True))
        self.tell("first", query=query)
        self.dialogue.opening = len(self.dialogue.messages)

    def demonstrate(self, episode: Trajectory) -> list[Message]:
        """Return *episode* as the conversation that it would have been with this agent, up to its last reply."""
        messages = [Message("user", self.prompt.part("first", query=episode.task.query))]
        for turn in self.steps_to_show(episode):
            messages.append(Message("assistant", self.write_turn(turn.thought, turn.action)))
            shown = self.show_observation(turn.observation)
            told = self.prompt.part("next", observation=shown, reward=f"{turn.reward:g}")
            messages.append(Message("user", told))
        return messages[:-1]

    def steps_to_show(self, episode: Trajectory) -> list[Turn]:
        """Return what this agent decides itself in *episode*: who sees the reward need not say that it is done."""
        found = demonstrations.steps(episode)
        return [turn for turn in found if turn.action.kind == "execute" or turn.action.text or not self.sees_reward]

    def ask(self, tools: Sequence[Tool] = ()) -> Reply:
        """Return the model's answer to the conversation; it is not yet part of it.

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
        """Return the action in *reply*, which becomes part of the conversation; `nothing` where it holds no code."""
        parsed = self.parse(reply)
        self._thought = "\n\n".join(filter(None, (reply.reasoning.strip(), parsed.thought)))
        self.dialogue.add(Message("assistant", self._as_history(reply, parsed)))
        self.last = self.take(reply, parsed.action)
        return self.last

    def parse(self, reply: Reply) -> ParsedReply:
        """Return what *reply* asks for. Where it was cut, an action that may be half of one is left out."""
        parsed = self._parse(reply.text)
        return replace(parsed, action=None) if reply.is_cut and not parsed.is_closed else parsed

    def take(self, reply: Reply, action: Action | None) -> Action:
        """Return *action*, or for None one that runs nothing and says why.

        The model will be told if *reply* was cut: in place of an observation, or before the one of *action*.
        """
        note = self.cut_note(reply)
        if action is not None and action.kind != "nothing":
            self._note = note
            return action
        why = action.text if action is not None else self.prompt.part("no code")
        return Action("nothing", f"{note}\n{why}".strip())

    def cut_note(self, reply: Reply) -> str:
        """Return what the model is to hear of a *reply* that was cut; "" for one that was not."""
        if not reply.is_cut or self._parser_name == "paper":
            return ""
        written = reply.usage.completion_tokens
        return f"[Your last reply was cut{f' at {written} tokens' if written else ''}: be shorter.]"

    def observe(self, observation: Observation) -> str:
        """Return an observation as the model sees it next, with what is to be said of its last reply."""
        note, self._note = self._note, ""
        return f"{note}\n{self.show_observation(observation)}".strip("\n")

    def show_observation(self, observation: Observation) -> str:
        """Return an observation as the model sees it."""
        return truncate_messages(observation.text, self._observation_limit).rstrip("\n") or "(no output)"

    def write_turn(self, thought: str, action: Action) -> str:
        """Return a turn as the model is to write it, for demonstrations."""
        before = f"{thought}\n" if thought and action.kind == "execute" else ""  # a word is read only where it is alone
        return f"{before}{self.write_action(action)}"

    def write_action(self, action: Action) -> str:
        """Return *action* in a fence, or as a word."""
        return str(action) if action.kind != "execute" else f"```{self.world.language}\n{action}\n```"

    def write_paper_turn(self, thought: str, action: Action) -> str:
        """Return a turn as the paper's prompts have it."""
        return f"{thought}\n```{self.world.language}\n{action}\n```".strip()

    def _as_history(self, reply: Reply, parsed: ParsedReply) -> str:
        """Return the published harness kept the action alone; else it is the whole reply, without its thinking."""
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

    def _find_prompt(self, world: str) -> PromptFile:
        prompt = prompts.find(self.strategy, world, self._prompt_file)
        prompt.require(self.parts)
        return prompt


def count(name: str, text: str) -> int:
    """Return an agent's option that is a whole number from 0.

    Raises:
        UserError: If it is something else.
    """
    if not text.isdecimal():
        raise UserError(f"the agent option {name} is a whole number from 0, not {text!r}")
    return int(text)


def _announce(examples: int) -> str:
    if examples == 1:
        return "First comes an example of another request, in a place of its own."
    return f"First come {examples} examples of other requests, each in a place of its own." if examples else ""


def _seed_of(seed: int, number: int) -> int:
    """Return each question's own seed, 31 bits (servers take no more), from the episode's."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{number}".encode()).digest()[:4], "big") >> 1
