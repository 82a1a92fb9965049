"""Going on with a run: only as what it was begun as, on the data that it was begun on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intercode.errors import UserError
from intercode.runs import manifest as manifests
from intercode.runs import trust
from intercode.runs.job import Job
from intercode.runs.manifest import Manifest
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore
from intercode.worlds.sql.databases import without_password


def is_run(path: Path) -> bool:
    """Return whether a run has been begun in *path*."""
    return (path / manifests.NAME).exists()


def settings_of(path: Path, given: Mapping[str, Any]) -> Settings:
    """Return the settings of the run in *path*; that code may run unguarded must be given anew.

    Raises:
        UserError: If those *given* contradict them.
        BadDataError: For no run.
    """
    stored = manifests.settings_here(manifests.read(path), path)
    if manifests.same(given.get("dataset", ""), stored.dataset):
        given = {**given, "dataset": stored.dataset}
    if given.get("reward", stored.reward) != stored.reward:  # said first: another's file is not run to be refused
        _refuse_differences(path, stored, {"reward": given["reward"]})
    named = {"named": given.get("dataset", ""), "reward": given.get("reward", "")}
    stored = trust.guarded(stored, bool(given.get("unsafe")), **named)
    trust.check_keys(stored, given)
    if "database" in given and without_password(given["database"]) == stored.database:
        stored = stored.changed(database=given["database"])  # with the password, which is not stored
    for name in ("max_cost", "max_tokens", "cache"):
        stored = stored.changed(**{name: given[name]} if name in given else {})
    if "model_options" in given and set(given["model_options"]) == {"key_env"}:
        given = {**given, "model_options": stored.model_options}
    _refuse_differences(path, stored, given)
    return stored


def _refuse_differences(path: Path, stored: Settings, given: Mapping[str, Any]) -> None:
    if differences := stored.differences(stored.changed(**given)):
        raise UserError(
            f"in {path} {'; '.join(differences)}: leave that out to resume it, or choose another folder "
            "(--out, or `out` in a sweep's file)"
        )


def reopen(path: Path, job: Job, *, accept_changed_image: bool = False) -> RunStore:
    """Return the store of the run in *path*, to be filled up by *job*.

    With *accept_changed_image* it may go on with images that are others now, and its manifest says so.

    Raises:
        UserError: If it stands on other data now, or on images that were not accepted.
    """
    store = RunStore.resume(path)
    try:
        _check_data(path, store.manifest, job.manifest)
        if changed := manifests.changed_images(store.manifest, job.manifest):
            if not accept_changed_image:
                raise UserError(_refusal(path, changed, job.settings))
            store.replace_manifest(manifests.with_images(store.manifest, job.manifest))
    except BaseException:
        store.close()
        raise
    return store


def _check_data(path: Path, then: Manifest, now: Manifest) -> None:
    changed = [
        f"the {name}" if name.startswith(manifests.REWARD) else f"the data of {name}"
        for name, digest in then.data.items()
        if now.data.get(name) != digest
    ]
    if changed or then.tasks != now.tasks:
        what = " and ".join(changed) or "the list of tasks"
        raise UserError(f"{what} changed since {path} was begun: begin a new run with another --out")


def _refusal(path: Path, changed: list[str], settings: Settings) -> str:
    """Return why the run does not simply go on, and both ways out."""
    kind = "database" if settings.database else "image"
    names = f"{kind} {changed[0]}" if len(changed) == 1 else f"{kind}s {', '.join(changed)}"
    return (
        f"the {names} changed since {path} was last played. Resume with --accept-changed-image, which marks the run as "
        "played on both. Or begin a new run with another --out."
    )
