"""A layer of what lies in another image: paths of it, copied to where they are wanted, as `COPY --from` does."""

from __future__ import annotations

import shlex
import tarfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from posixpath import dirname

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.defaults import ENV
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.image import Layer, LayerBuilder

GATHERED = "/.gathered"
"""Where the copies are made, in a session on the other image; nothing of that path is in the layer."""


@dataclass(frozen=True)
class StageLayer(Layer):
    """Copies of *sources*, paths of the image of *layers*; *target* is a folder where it ends in `/`.

    As `COPY` has it, of a folder what is in it is copied.
    """

    layers: tuple[Layer, ...]
    sources: tuple[str, ...]
    target: str

    def __str__(self) -> str:
        return f"{', '.join(self.sources)} of another stage"

    @cached_property
    def key(self) -> str:
        """Of the other image and of what is copied where."""
        return recipe_key("stage", *(layer.key for layer in self.layers), self.sources, self.target)

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Copy them in a session on the other image, and move them where they are wanted.

        Raises:
            ImageError: If one is not there.
        """
        changes, moved = target.parent / "changes.tar", target.parent / "moved.tar"
        try:
            layer_builder.run_script(self.layers, self._script.encode(), ENV, changes)
        except ImageError as error:
            raise ImageError(f"{self}: {error}") from error
        _move(changes, moved)
        layer_builder.unpack(moved, target)

    @property
    def _script(self) -> str:
        place = GATHERED + self.target
        lines = ["set -e", f"mkdir -p {shlex.quote(place if place.endswith('/') else dirname(place))}"]
        for source in map(shlex.quote, self.sources):
            to = shlex.quote(place)
            lines.append(f"if [ -d {source} ]; then mkdir -p {to}; cp -a {source}/. {to}; else cp -a {source} {to}; fi")
        return "\n".join(lines)


def _move(changes: Path, moved: Path) -> None:
    """Write what is below `GATHERED` in *changes* to *moved*, at the top. Links within one file keep to each other."""
    top = GATHERED.strip("/")
    with tarfile.open(changes) as found, tarfile.open(moved, "w", format=tarfile.PAX_FORMAT) as output:
        for member in found:
            name = member.name.removeprefix("./")
            if not name.startswith(f"{top}/"):
                continue
            member.name = name.removeprefix(f"{top}/")
            member.pax_headers = {key: value for key, value in member.pax_headers.items() if key != "path"}
            if member.islnk():
                member.linkname = member.linkname.removeprefix("./").removeprefix(f"{top}/")
            output.addfile(member, found.extractfile(member) if member.isreg() else None)
