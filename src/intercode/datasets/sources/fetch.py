"""Fetching published data: each file appears whole and checked under its name, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from intercode.datasets.sources.folders import fetch_folder, is_fetched
from intercode.datasets.sources.packages import PACKAGES, PublishedPackage
from intercode.datasets.sources.published import GIT_HOST, SOURCES, PublishedFile, PublishedSource
from intercode.errors import DownloadError, UnknownNameError
from intercode_sandbox.images.image import Progress
from intercode_sandbox.util import paths
from intercode_sandbox.util.text import clauses


@dataclass(frozen=True, slots=True)
class Availability:
    """One published data set, as `intercode data list` shows it.

    *size* is in bytes, of all its files; *folder* where they are, None where they come in a package that is not here;
    *command* brings them.
    """

    name: str
    description: str
    licence: str
    size: int
    folder: Path | None
    present: bool
    command: str


def available(
    sources: Mapping[str, PublishedSource] = SOURCES, packages: Mapping[str, PublishedPackage] = PACKAGES
) -> list[Availability]:
    """Return every published data set, and whether its files are on this machine (`get` also checks their content)."""
    return [
        *(
            Availability(
                source.name,
                source.description,
                source.licence,
                source.size,
                folder_of(source.name),
                all(_is_there(file, folder_of(source.name)) for file in source.files)
                and all(is_fetched(folder_of(source.name) / folder.name, source.commit) for folder in source.folders),
                f"intercode data get {source.name}",
            )
            for source in sources.values()
        ),
        *(
            Availability(
                each.name, each.description, each.licence, each.size, each.folder(), not each.fault(), each.install
            )
            for each in packages.values()
        ),
    ]


def folder_of(name: str) -> Path:
    """Return where the files of that data set are on this machine, once fetched."""
    return paths.data() / name


def get(
    name: str,
    *,
    progress: Progress = lambda line: None,
    host: str | None = None,
    git_host: str = GIT_HOST,
    sources: Mapping[str, PublishedSource] = SOURCES,
) -> Path:
    """Fetch what is missing of the data set *name*, or is not what it should be, and return its folder.

    *progress* is called with a line for each file and folder that is fetched. What comes in a package pip fetches.

    Raises:
        UnknownNameError: If there is no such data set.
        BadDataError: If it comes in a package that is not installed. Says what to type.
        DownloadError: If something cannot be fetched. Names the address. Whatever came whole before that stays, nothing
            else does.
    """
    if name in PACKAGES:
        return PACKAGES[name].checked_folder()
    if name not in sources:
        there = ", ".join(sorted({*sources, *PACKAGES}))
        raise UnknownNameError(f"no published data called {name!r}; there are: {there}")
    source, folder = sources[name], folder_of(name)
    for file in source.files:
        if not (file.instead and (folder / file.instead).is_file()):
            _fetch(source, file, folder, host, progress)
    for each in source.folders:
        if not is_fetched(folder / each.name, source.commit):
            progress(f"fetching the folder {each.name} (by git)")
            fetch_folder(f"{git_host.rstrip('/')}/{source.repository}", source.commit, each, folder / each.name)
    return folder


def _is_there(file: PublishedFile, folder: Path) -> bool:
    whole = folder / file.name
    return (whole.is_file() and whole.stat().st_size == file.size) or bool(
        file.instead and (folder / file.instead).is_file()
    )


def _fetch(source: PublishedSource, file: PublishedFile, folder: Path, host: str | None, progress: Progress) -> None:
    """One file, under another name until its checksum is right (pooch sees to that)."""
    import pooch  # imported here: slow, and needed nowhere else

    pooch.get_logger().setLevel("WARNING")
    url, target = source.url(file, host), folder / file.name
    way_out = f"try again later, or put the file at {target} yourself (SHA-256 {file.sha256})"
    try:
        if target.is_file() and pooch.file_hash(str(target)) == file.sha256:
            return
        progress(f"fetching {file.name} ({file.size:,} bytes)")
        browser = pooch.HTTPDownloader(timeout=30)
        pooch.retrieve(url, known_hash=f"sha256:{file.sha256}", fname=file.name, path=folder, downloader=browser)
        target.chmod(0o644)
    except OSError as error:
        if error.errno is None:  # the network's errors are OSErrors without a number
            raise DownloadError(clauses(f"{url}: {_describe_error(error)}", way_out)) from error
        raise DownloadError(f"{target}: {error.strerror}; INTERCODE_DATA names another folder for data") from error
    except ValueError as error:
        raise DownloadError(f"{url}: the download's checksum is not the pinned one; {way_out}") from error


def _describe_error(error: OSError) -> str:
    """Return what the network said, shorter than it says it itself."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    return f"no answer, or one that was cut short ({type(error).__name__})"
