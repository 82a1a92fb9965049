"""The hub itself, by its own library, which is imported on first use."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from intercode.errors import BadDataError, UserError
from intercode_sandbox.util import paths

NEEDS = "{}: a library is needed: pip install 'intercode-env[hf]'"
NO_TOKEN = "there is no token for the Hugging Face hub: log in with `hf auth login`, or set HF_TOKEN"


def library(what: str = "data sets of Hugging Face") -> Any:
    """Return the module `huggingface_hub`.

    Raises:
        UserError: If it is not installed.
    """
    try:
        import huggingface_hub
    except ImportError as error:
        raise UserError(NEEDS.format(what)) from error
    return huggingface_hub


def failures(hub: Any) -> tuple[type[Exception], ...]:
    """Return what its functions raise: its own errors derive from those of its HTTP library, which it lets pass."""
    return (OSError, ValueError, *hub.errors.HfHubHTTPError.__bases__)


def card_of(repository: str) -> Path | None:
    """Return the file with the card of *repository*, fetched or kept from before.

    None where there is none to be had.
    """
    hub = library(f"hf:{repository}")
    try:
        return Path(hub.hf_hub_download(repository, "README.md", repo_type="dataset"))
    except hub.errors.EntryNotFoundError:  # also without a network, where none was fetched before
        return None
    except failures(hub) as error:
        raise BadDataError(f"hf:{repository} cannot be read from the Hugging Face hub: {error}") from error


def fetch(repository: str) -> Path:
    """Return a folder with all files of *repository*, kept for as long as it is not changed at the hub."""
    hub = library(f"hf:{repository}")
    try:
        cached = Path(hub.snapshot_download(repository, repo_type="dataset"))
    except failures(hub) as error:
        raise BadDataError(f"hf:{repository} cannot be read from the Hugging Face hub: {error}") from error
    folder = paths.cache() / "hugging-face" / f"{repository.replace('/', '--')}-{cached.name}"
    if not folder.exists():
        _copy(cached, folder)
    return folder


def _copy(source: Path, target: Path) -> None:
    """Copy a folder of the hub's cache, in which all files are links: a task's files go into images as they are."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix=".new-", dir=target.parent))
    try:
        shutil.copytree(source, draft / target.name)
        (draft / target.name).rename(target)
    except OSError:
        if not target.exists():  # else another process was faster
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def require_token(repository: str) -> Any:
    """Return the library, which has a token to write *repository* with.

    Raises:
        UserError: If it has none.
    """
    hub = library(repository)
    if hub.get_token() is None:
        raise UserError(f"{repository}: {NO_TOKEN}")
    return hub


def upload(folder: Path, repository: str, *, public: bool = False) -> str:
    """Put all of *folder* into the data set *repository*, made if it is not there; where it is then.

    Raises:
        UserError: If there is no library or no token, or the hub refuses.
    """
    hub = require_token(repository)
    api = hub.HfApi()
    try:
        place = api.create_repo(repository, repo_type="dataset", private=not public, exist_ok=True)
        api.upload_folder(repo_id=repository, folder_path=folder, repo_type="dataset", commit_message="Push tasks")
    except failures(hub) as error:
        raise UserError(f"{repository} cannot be written at the Hugging Face hub: {error}") from error
    return str(place)
