"""Published data that comes in somebody's Python package: read from its files, none of its code is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from intercode.errors import BadDataError


@dataclass(frozen=True, slots=True)
class PublishedPackage:
    """One data set in a package: which one, and the files of it that are read, with the SHA-256 of all, joined.

    *size* is in bytes, of all *files*.
    """

    name: str
    description: str
    licence: str
    package: str
    version: str
    files: tuple[str, ...]
    sha256: str
    size: int

    @property
    def install(self) -> str:
        """The command that installs it, without what it imports itself: its files are all that is wanted."""
        return f"pip install --no-deps {self.package}=={self.version}"

    def folder(self) -> Path | None:
        """Return the folder of the package, where it is installed. Nothing is imported."""
        found = find_spec(self.package)
        places = (found.submodule_search_locations or ()) if found else ()
        return next((Path(place) for place in places), None)

    def fault(self) -> str:
        """Return why the data cannot be read from the installed package; "" where it can."""
        folder = self.folder()
        if folder is None:
            return f"{self.name} is read from the package {self.package}, which is not installed: {self.install}"
        if not all((folder / name).is_file() for name in self.files) or self._digest(folder) != self.sha256:
            return f"{folder} does not hold the data of {self.package} {self.version}: {self.install}"
        return ""

    def checked_folder(self) -> Path:
        """Return the folder of the package, whose files are those that are pinned.

        Raises:
            BadDataError: If it is not installed, or in another version. Says what to type.
        """
        if fault := self.fault():
            raise BadDataError(fault)
        folder = self.folder()
        assert folder is not None
        return folder

    def _digest(self, folder: Path) -> str:
        return sha256(b"".join((folder / name).read_bytes() for name in self.files)).hexdigest()


def _nl2sh_alfa() -> PublishedPackage:
    """Its package imports Docker's, OpenAI's and scikit-learn's, which its data does not need."""
    numbers = range(1, 6)
    return PublishedPackage(
        name="nl2sh-alfa",
        description="NL2SH-ALFA: 300 requests for shell commands over five file systems, two golds each",
        licence="MIT",
        package="icalfa",
        version="0.3.6",
        files=(
            *(f"assets/datasets/nl2bash_fs_{n}.json" for n in numbers),
            *(f"assets/docker/setup_nl2b_fs_{n}.sh" for n in numbers),
            *(f"assets/docker/nl2bash{n}.Dockerfile" for n in numbers),
        ),
        sha256="9e25a2e1cefcf677a60f890f6d6ec326dbc6b1da253ef2729c8505a61503902b",
        size=89_347,
    )


PACKAGES: Mapping[str, PublishedPackage] = {source.name: source for source in (_nl2sh_alfa(),)}
"""Every data set that comes in a package, by name."""
