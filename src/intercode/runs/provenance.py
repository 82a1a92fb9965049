"""What a run depends on, for its manifest: data, images, the reward, the model's library, and files of text."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from intercode import rewards
from intercode.agents.model_agents import demonstrations
from intercode.datasets.base import Dataset
from intercode.errors import ImageError
from intercode.models.base import Model
from intercode.runs import manifest as manifests
from intercode.runs.factories import Backend
from intercode.runs.manifest import Manifest
from intercode.runs.settings import Settings
from intercode.types import SCORINGS, Task, reward_name
from intercode.types.databases import Database
from intercode_sandbox import images
from intercode_sandbox.images import Image
from intercode_sandbox.network.hosts import NONE, network_title


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
        chosen_reward=_chosen_reward(settings, dataset),
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
        networks=networks_of(settings, dataset, tasks),
    )


def networks_of(settings: Settings, dataset: Dataset, tasks: Sequence[Task]) -> dict[str, str]:
    """Return what agents and verifiers of *tasks* may reach, where that is anything in one of them."""
    agents = {settings.network} if settings.network else {network_title(dataset.network(task)) for task in tasks}
    verifiers = (
        {settings.verifier_network}
        if settings.verifier_network
        else {network_title(dataset.verifier_network(task)) for task in tasks}
    )
    titles = {"agent": agents - {NONE}, "verifier": verifiers - {NONE}}
    return {who: "; ".join(sorted(each)) for who, each in titles.items() if each}


def _reward(settings: Settings, dataset: Dataset) -> dict[str, str]:
    """Return the reward that judges beside the world's own two, and the digest of its source.

    Nothing where none does.
    """
    if settings.reward in SCORINGS:
        return {}
    if settings.reward:
        return {f"{manifests.REWARD}{settings.reward}": rewards.digest(settings.reward)}
    if dataset.reward_file is None:
        return {}
    name = f"{dataset.name}/{dataset.reward_file.name}"
    return {f"{manifests.REWARD}{name}": rewards.digest(str(dataset.reward_file))}


def _chosen_reward(settings: Settings, dataset: Dataset) -> str:
    """Return the name under which that reward's scores are stored; "" where none judges, or in the world's place."""
    if settings.reward:
        return "" if settings.reward in SCORINGS else reward_name(settings.reward)
    return "" if dataset.reward_file is None or dataset.reward_name in SCORINGS else dataset.reward_name


def images_of(settings: Settings, dataset: Dataset, tasks: Sequence[Task]) -> Sequence[Image]:
    """Return the images that *tasks* are played on, each once; those that cannot be had play nothing."""
    base, found = images.find(settings.image), dict[str, Image]()
    for task in tasks:
        with suppress(ImageError):
            image = dataset.image(task, base)
            found[image.digest] = image
    return tuple(found.values())


def _with_model(manifest: Manifest, model: Model | None) -> Manifest:
    """Return what answers depend on besides the settings: the library that asks, and the texts in files."""
    options = manifest.settings.agent_options
    read = {"prompt": lambda name: [Path(name)], "demos": demonstrations.files}
    files = {f"{name} {options[name]}": find(options[name]) for name, find in read.items() if options.get(name)}
    sums = {name: sha256(b"".join(path.read_bytes() for path in paths)).hexdigest() for name, paths in files.items()}
    versions = {} if model is None else model.versions
    return replace(manifest, machine={**manifest.machine, **versions}, data={**manifest.data, **sums})
