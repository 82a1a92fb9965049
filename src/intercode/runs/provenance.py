"""What a run depends on, for its manifest: data, images, the reward, the model's library, and files of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from intercode import rewards
from intercode.databases.base import Database
from intercode.datasets.base import Dataset
from intercode.models.base import Model
from intercode.runs import manifest as manifests
from intercode.runs.factories import Backend
from intercode.runs.manifest import Manifest
from intercode.runs.settings import Settings
from intercode.sandboxes import images
from intercode.sandboxes.images import Image
from intercode.trajectories import EPISODES
from intercode.types import SCORINGS, Task


def build_manifest(
    settings: Settings, dataset: Dataset, tasks: Sequence[Task], backend: Backend, model: Model | None
) -> Manifest:
    """Make the manifest of a run that is about to begin.

    Args:
        settings: With all defaults filled in.
        dataset: What is played.
        tasks: The tasks to play, in order.
        backend: The sandbox or the database that they are played on.
        model: The model that answers, if one does.
    """
    return _with_model(_without_model(settings, dataset, tasks, backend), model)


def _without_model(settings: Settings, dataset: Dataset, tasks: Sequence[Task], backend: Backend) -> Manifest:
    plain = Manifest(
        settings=settings,
        tasks=tuple(task.id for task in tasks),
        data={dataset.name: dataset.checksum, **_reward(settings, dataset)},
        machine=manifests.machine(),
        command=manifests.command(),
    )
    if isinstance(backend, Database):
        sources = {dataset.source(task) for task in tasks}
        files = {f"{source.name} databases": source.checksum for source in sources}
        name = settings.database.partition(":")[0]
        return replace(plain, images={name: backend.version()}, data={**plain.data, **files})
    used = images_of(settings, dataset, tasks)
    return replace(
        plain,
        images={image.name: image.digest for image in used},
        reproducible=all(image.reproducible for image in used),
        isolated=backend.isolated,
    )


def _reward(settings: Settings, dataset: Dataset) -> dict[str, str]:
    """The reward that judges beside the world's own two, and the digest of its source; nothing where none does."""
    if settings.reward in SCORINGS:
        return {}
    if settings.reward:
        return {f"{manifests.REWARD}{settings.reward}": rewards.digest(settings.reward)}
    if dataset.reward_file is None:
        return {}
    name = f"{dataset.name}/{dataset.reward_file.name}"
    return {f"{manifests.REWARD}{name}": rewards.digest(str(dataset.reward_file))}


def images_of(settings: Settings, dataset: Dataset, tasks: Sequence[Task]) -> Sequence[Image]:
    """The images that *tasks* are played on, each once."""
    base = images.find(settings.image)
    found: Mapping[str, Image] = {image.digest: image for image in (dataset.image(task, base) for task in tasks)}
    return tuple(found.values())


def _with_model(manifest: Manifest, model: Model | None) -> Manifest:
    """What answers depend on besides the settings: the library that asks, and the texts in files."""
    options = manifest.settings.agent_options
    files = {name: options[name] for name in ("prompt", "demos") if options.get(name)}
    sums = {f"{name} {file}": sha256(_file_of(file).read_bytes()).hexdigest() for name, file in files.items()}
    versions = {} if model is None else model.versions
    return replace(manifest, machine={**manifest.machine, **versions}, data={**manifest.data, **sums})


def _file_of(name: str) -> Path:
    return Path(name, EPISODES) if Path(name).is_dir() else Path(name)
