"""The data set card: README.md, whose YAML header says what the hub and we need to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intercode.datasets.hugging_face.hub import library
from intercode.errors import BadDataError

FILE = "README.md"
OURS = "intercode"
"""The key of the header under which ours stands."""

SIZES = ((1000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
"""The hub's words for how many rows there are."""

BODY = """
# {name}

{tasks} tasks for the world `{world}` of InterCode, an environment for interactive coding. Each has a request (`query`)
and, mostly, the code that meets it (`gold`). **Golds are in these files**: keep them out of what models are trained on.

```bash
pip install 'intercode-env[hf]'
intercode run --dataset hf:OWNER/NAME
```
"""


@dataclass(frozen=True, slots=True)
class Card:
    """What `intercode data push` says of a data set.

    Attributes:
        name: What the tasks' ids begin with.
        world: Its name.
        files: The parquet file of each split, from the folder of the card.
        dataset: The data set of ours, or the part of one, on whose images and databases the tasks stand; "" where the
            folder brings them.
    """

    name: str
    world: str
    files: Mapping[str, str]
    dataset: str = ""


def read(path: Path) -> Card | None:
    """Return the card in *path*; None for one that is none of ours.

    Raises:
        BadDataError: For a header that cannot be read.
    """
    try:
        header = library().DatasetCard.load(path, ignore_metadata_errors=False).data.to_dict()
        ours = header.get(OURS)
        if ours is None:
            return None
        files = {each["split"]: each["path"] for each in header["configs"][0]["data_files"]}
        card = Card(ours["name"], ours["world"], files, ours.get("dataset", ""))
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise BadDataError(f"{path}: its header is not one that intercode data push writes: {error!r}") from error
    if not all(isinstance(each, str) for each in (card.name, card.world, card.dataset, *files, *files.values())):
        raise BadDataError(f"{path}: its header is not one that intercode data push writes: all of it should be text")
    return card


def write(card: Card, folder: Path, *, tasks: int, license: str = "", text: str = "") -> None:
    """Put *card* into *folder*, with *text* (what there was to read) below our own."""
    ours = {"name": card.name, "world": card.world} | ({"dataset": card.dataset} if card.dataset else {})
    header: dict[str, Any] = {
        "pretty_name": card.name,
        "tags": ["code", "interactive", "reinforcement-learning"],
        "size_categories": [next((word for most, word in SIZES if tasks < most), "n>1M")],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": split, "path": path} for split, path in card.files.items()],
            }
        ],
        OURS: ours,
    } | ({"license": license} if license else {})
    body = BODY.format(name=card.name, tasks=tasks, world=card.world)
    yaml = library().DatasetCardData(**header).to_yaml()
    (folder / FILE).write_text(f"---\n{yaml}\n---\n{body}\n{text}".rstrip() + "\n", encoding="utf-8")
