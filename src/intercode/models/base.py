"""The promise of a model: WHAT thinks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

from intercode import registry
from intercode.closing import Closeable
from intercode.conversation import Message, Reply, Tool
from intercode.errors import UserError
from intercode.models.core.prices import Price
from intercode.models.core.sampling import Sampling


class ChatModel(Protocol):
    """What an agent has of a model: it can ask."""

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        """See `Model.complete`."""


class Model(Closeable):
    """Answers conversations, any number at once from as many threads.

    What goes wrong and may go right the next time is tried again inside; what is raised is final for this question.
    """

    def __init__(self, name: str, *, base_url: str = "", logprobs: bool = False, **options: str) -> None:
        """*options* are texts: `Sampling`'s, `Price`'s, and a model's own; unknown ones raise UnknownNameError."""
        self.name, self.logprobs = name, logprobs
        self.sampling, options = Sampling.taken_from(options)
        self.price, options = Price.taken_from(options)
        if base_url and not self.has_server:
            raise UserError(f"{self._called} has no server: leave --base-url out")
        self.set_up(base_url, options)
        if options:
            known = (*Sampling.OPTIONS, *Price.OPTIONS, *self.own_options)
            registry.refuse_unknown(self._called, options, sorted(known))

    @property
    def _called(self) -> str:
        return f"the model {self.name}"

    own_options: ClassVar[tuple[str, ...]] = ()
    """What `set_up` takes, for people who ask for something else."""

    base_url: str = ""
    """Where its server is, if it has one."""

    has_server: bool = False
    """Whether it takes the URL of a server."""

    def set_up(self, base_url: str, options: dict[str, str]) -> None:
        """Take (pop) its own *options*. Raises UserError for values that cannot be."""

    @abstractmethod
    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        """The answer to a conversation whose last message is not the model's own.

        *seed* makes it repeatable, where a model can be. Raises ContextOverflowError when the conversation is too long
        for it, ModelError when there is no answer to be had, ModelRefusedError when there will be none to any question.
        """

    def check_reachable(self) -> None:
        """Before a run: raise UserError where it is plain that nobody is there to answer."""

    @property
    def knows_price(self) -> bool:
        """Whether the replies' usage has a cost."""
        return self.price.is_known

    @property
    def versions(self) -> Mapping[str, str]:
        """What else a record should say of how it answers: the library that asks it, with its version."""
        return {}

    def close(self) -> None:
        """Let go of connections and memory; most models hold none. Closing twice is harmless."""
