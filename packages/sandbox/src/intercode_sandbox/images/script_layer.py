"""A layer that a script makes: run once, as root in the sandbox, on the layers below; what it changed is the layer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.image import Layer, LayerBuilder
from intercode_sandbox.images.root_layers import unpack_rewritten
from intercode_sandbox.network.hosts import NONE, NetworkPolicy


@dataclass(frozen=True)
class ScriptLayer(Layer):
    """A set-up script for bash, with the environment *env* and a *network* (see `Limits`), or none.

    A failing script fails the build. With a network the content is what the hosts gave on that day: the key says
    nothing of that.

    In a *fresh* layer whatever the script did not give an older time itself gets each session's start.
    """

    script: bytes | str
    _: KW_ONLY
    env: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False
    network: NetworkPolicy = NONE
    title: str = "the set-up script"
    stacked: bool = field(init=False, default=True)

    def __str__(self) -> str:
        return self.title

    @cached_property
    def key(self) -> str:
        """Of the script and its environment; the store adds the layers below."""
        facts = (self._bytes(), tuple(sorted(self.env.items())), self.fresh)
        return recipe_key("script", *facts, *([self.network] if self.network != NONE else []))

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Run it and unpack what it changed."""
        started = int(time.time())  # whole seconds, as some archives have them
        archive = target.parent / "changes.tar"
        try:
            layer_builder.run_script(below, self._bytes(), self.env, archive, network=self.network)
        except ImageError as error:
            raise ImageError(f"{self}: {error}") from error
        if self.fresh:
            unpack_rewritten(archive, target, layer_builder, unset_after=started)
        else:
            layer_builder.unpack(archive, target)

    def _bytes(self) -> bytes:
        return self.script.encode() if isinstance(self.script, str) else self.script


def last_words(output: bytes) -> str:
    """Return the end of what a failed script printed, for people."""
    line = output.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f"its last line: {line}" if line else "it printed nothing"
