"""The promise of a model: WHAT thinks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol, runtime_checkable

from intercode import registry
from intercode.errors import UserError
from intercode.models.core.defaults import Defaults, reasons
from intercode.models.core.local_address import is_local
from intercode.models.core.prices import Price
from intercode.models.core.sampling import Sampling
from intercode.types.conversation import Message, Reply, Tool
from intercode_sandbox.util.closing import Closeable


class ChatModel(Protocol):
    """What an agent may do with a model: ask it."""

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        """See `Model.complete`."""


@runtime_checkable
class Preparable(Protocol):
    """A `ChatModel` that can load what its first answer needs."""

    def prepare(self) -> None:
        """See `Model.prepare`."""


def prepare(model: ChatModel) -> None:
    """Load what the first answer of *model* needs, if it has a way to."""
    if isinstance(model, Preparable):
        model.prepare()


class Model(Closeable):
    """Answers conversations, any number at once from as many threads.

    It tries again by itself what may succeed the next time. What it raises is final for this question.
    """

    def __init__(self, name: str, *, base_url: str = "", logprobs: bool = False, **options: str) -> None:
        """Check the options; nothing is sent anywhere.

        Args:
            name: What the server calls the model.
            base_url: Where its server is, for models that have one.
            logprobs: Whether replies shall have `tokens`.
            **options: Texts, as the command line has them: those of `Sampling`, those of `Price`, and the model's own.

        Raises:
            UserError: If an option is unknown or its value is impossible, or the model has no server for *base_url*.
        """
        self.name, self.logprobs = name, logprobs
        self.sampling, options = Sampling.split_options(options)
        self.defaults = Defaults(self.sampling, reasons=reasons(name))
        self.price, options = Price.split_options(options)
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
        """Take the model's own options out of *options* (by `pop`).

        Raises:
            UserError: If a value is impossible.
        """

    @abstractmethod
    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        """Answer a conversation.

        Args:
            messages: The conversation; its last message is not the model's own.
            tools: The functions that the model may call.
            seed: Makes the answer repeatable, where a model can be.

        Raises:
            ContextOverflowError: If the conversation is too long for the model.
            ModelError: If the model gives no answer, however often it is asked.
            ModelRefusedError: If the model will answer no question at all, as with a wrong key.
            RefusalError: If its provider refuses this conversation.
        """

    def prepare(self) -> None:
        """Load what the first answer needs, so that no episode's time holds it. Doing so twice is harmless."""

    def check_reachable(self) -> None:
        """Check, before a run, that a server is there to answer.

        Raises:
            UserError: If there plainly is none.
        """

    @property
    def knows_price(self) -> bool:
        """Return whether the usage of its replies has a cost."""
        return self.price.is_known

    @property
    def is_free(self) -> bool:
        """Return whether an answer costs nobody money: its price is zero, or it has none and runs nearby."""
        return self.price.is_zero if self.price.is_known else self.is_local

    @property
    def is_local(self) -> bool:
        """Return whether it runs on this machine or in its network."""
        return not self.has_server or is_local(self.base_url)

    @property
    def versions(self) -> Mapping[str, str]:
        """Return what else a record should say of how the model answers: the library that asks it, with its version."""
        return {}

    def close(self) -> None:
        """Close connections and free memory; most models hold none. Closing twice is harmless."""
