"""The table of what is published, and where. A new data set is one entry here.

The checksums were taken from the files as they stand at the commit, so a download is those bytes or an error. Whoever
updates an entry takes commit and checksums together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HOST = "https://raw.githubusercontent.com"
"""Serves files of public repositories as HOST/REPOSITORY/COMMIT/PATH."""

HUB = "https://huggingface.co/datasets"
"""Serves files of data sets as HUB/REPOSITORY/resolve/COMMIT/PATH."""

PACKAGE_HOST = "https://files.pythonhosted.org"
"""Serves the files of Python packages as PACKAGE_HOST/packages/PATH."""

GIT_HOST = "https://github.com"
"""Serves the same repositories to git, as GIT_HOST/REPOSITORY."""


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """One published file: its path in the repository, SHA-256 and size in bytes.

    *instead* names a local file beside it that serves as well, so that this one need not be fetched.
    """

    path: str
    sha256: str
    size: int
    instead: str = ""

    @property
    def name(self) -> str:
        """Return what it is called on this machine."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class PublishedFolder:
    """One published folder: its path in the repository, and the names of folders in it that are left out.

    It is fetched by git, whose commit id is a checksum of every file.
    """

    path: str
    without: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return what it is called on this machine."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class PublishedSource:
    """One published data set: what it is, on which terms it may be used, and its files and folders at one commit."""

    name: str
    description: str
    licence: str
    repository: str
    commit: str
    files: tuple[PublishedFile, ...]
    on_hub: bool = False
    host: str = HOST
    folders: tuple[PublishedFolder, ...] = ()

    @property
    def size(self) -> int:
        """Bytes to fetch, all files together (how large folders are only git knows)."""
        return sum(file.size for file in self.files)

    def url(self, file: PublishedFile, host: str | None = None) -> str:
        """Return where *file* is fetched from (*host*: a mirror)."""
        host = (host or (HUB if self.on_hub else self.host)).rstrip("/")
        return "/".join(filter(None, (host, self.repository, "resolve" if self.on_hub else "", self.commit, file.path)))


_INTERCODE = "princeton-nlp/intercode"
_COMMIT = "c3e46d827cfc9d4c704ec078f7abf9f41e3191d8"


def _nl2bash() -> PublishedSource:
    tasks = (
        ("60f88e1aacc7ebba535093f9890c5c33203f4e5f32958e0e94fbe90ec4f01c82", 13588),
        ("8f4ce24e535fab782fda607e37db2ae1d6c5f99993c638d1ac0a7e0b542f633e", 11158),
        ("a2d4ec8bc7ad69a4e2fb3eb84033994cf65ee9cfb355e3e63099df67a339b2e1", 11264),
        ("ce41b89450f87765a02a51df259ca0c1762e8249185c022adb089147e2c16200", 4028),
    )
    scripts = (
        ("02b9a2206d809a9fca03b755e61b94618248a400fd3132ac61d32b6f3009dd3f", 4018),
        ("05c3109c4e9999e661d66c6d74137f0238b88017ec9cf884abdda0499e94ff1d", 3280),
        ("5e8d9f832f272c31dfb73567e75d33efb970d4e4bf9a8e691582d4fa09422d09", 3055),
        ("c5fb550aa1578fe2454e8ab06221165df90311231cb71d3d9b0ce036a8235274", 60),
    )
    return PublishedSource(
        name="nl2bash",
        description="NL2Bash: 200 requests for shell commands over four file systems",
        licence="MIT",
        repository=_INTERCODE,
        commit=_COMMIT,
        files=(
            *(PublishedFile(f"data/nl2bash/nl2bash_fs_{n}.json", *pin) for n, pin in enumerate(tasks, 1)),
            *(
                PublishedFile(f"docker/bash_scripts/setup_nl2b_fs_{n}.sh", *pin, instead=f"fs_{n}.tar.gz")
                for n, pin in enumerate(scripts, 1)
            ),
        ),
    )


def _spider() -> PublishedSource:
    return PublishedSource(
        name="spider",
        description="Spider: 1034 questions over 20 MySQL databases",
        licence="CC BY-SA 4.0",
        repository=_INTERCODE,
        commit=_COMMIT,
        files=(
            PublishedFile(
                "data/sql/spider/ic_spider_dev.json",
                "68c9ecb0692c80770f46c724cc073ea76be4f301a294caa532c050546948128e",
                1_001_475,
            ),
            PublishedFile(
                "data/sql/spider/ic_spider_dbs.sql",
                "61f6e8000cb5bb696f123fa55e111acdcd8da7eca64f452a36fd1a6e5fb1781a",
                412_090,
                instead="ic_spider_dbs.sql.gz",
            ),
        ),
    )


def _wikisql() -> PublishedSource:
    return PublishedSource(
        name="wikisql",
        description="WikiSQL: 196 questions over 50 tables of Wikipedia, in one MySQL database",
        licence="BSD-3-Clause",
        repository=_INTERCODE,
        commit=_COMMIT,
        files=(
            PublishedFile(
                "data/sql/wikisql/ic_wikisql_dev.json",
                "70f8f907c9c7b101d74910c03ae4c27b21ddc83b7441588a9e0f2a909958c2cf",
                42_984,
            ),
            PublishedFile(
                "data/sql/wikisql/ic_wikisql_dev.sql",
                "407641b3b9f38dc1e10ce8914f6932b2ef0e93725ebb9937aea99582027e2afe",
                108_534,
                instead="ic_wikisql_dev.sql.gz",
            ),
        ),
    )


def _bird() -> PublishedSource:
    """Its databases are BIRD's own to give: 1.4 GB at its own site, of which three are used here."""
    return PublishedSource(
        name="bird",
        description="BIRD: 338 questions over 3 databases, which come from BIRD itself",
        licence="CC BY-SA 4.0",
        repository=_INTERCODE,
        commit=_COMMIT,
        files=(
            PublishedFile(
                "data/sql/bird/ic_bird.json",
                "05fb4d4402a589b8a7e6c7048b65fbe0d89300baf8b09b02c20c64500bdd9e21",
                218_462,
            ),
        ),
    )


def _mbpp() -> PublishedSource:
    return PublishedSource(
        name="mbpp",
        description="MBPP: 974 Python functions to write",
        licence="CC BY 4.0",
        repository=_INTERCODE,
        commit=_COMMIT,
        files=(
            PublishedFile(
                "data/python/mbpp/ic_mbpp.json",
                "4995ef1997ae7ee78c13b57bdba5c68c7989bbd31738837cc5f60c455ec0bcc7",
                535_519,
            ),
        ),
    )


def _apps() -> PublishedSource:
    """Problems of several sites, collected by Hendrycks and others (2021)."""
    return PublishedSource(
        name="apps",
        description="APPS: 10000 Python problems: introductory, interview, competition",
        licence="MIT",
        repository="codeparrot/apps",
        commit="21e74ddf8de1a21436da12e3e653065c5213e9d1",
        files=(
            PublishedFile(
                "test.jsonl", "5b003a65ac40feb47dd5eaec267a767a6fc435bdcfa68ff715fe869f948e760c", 1_292_436_853
            ),
            PublishedFile(
                "train.jsonl", "45e82ef22ed8e7c0c04d881a21b923e9dd233157896b0b8d5b3493e887499cae", 107_101_272
            ),
        ),
        on_hub=True,
    )


def _ctf() -> PublishedSource:
    return PublishedSource(
        name="ctf",
        description="InterCode-CTF: 100 tasks of picoCTF; their files, disk images among them, come on top",
        licence="MIT",
        repository=_INTERCODE,
        commit=_COMMIT,
        files=(
            PublishedFile(
                "data/ctf/ic_ctf.json",
                "7d5c29724d23719de369e31126c26ebc9a925ae21769f1c3c029abf074def126",
                32_766,
            ),
        ),
        folders=(PublishedFolder("data/ctf/task_assets", without=("solution",)),),
    )


def _sdist_fixes() -> PublishedSource:
    table = Path(__file__).parents[1] / "sdist_fixes" / "sdists.json"
    return PublishedSource(
        name="sdist-fixes",
        description="bug fixes between two releases of Python packages, as source distributions",
        licence="each package's own (MIT, BSD, Apache-2.0 or the like)",
        repository="packages",
        commit="",
        files=tuple(PublishedFile(*row) for row in json.loads(table.read_text(encoding="utf-8"))),
        host=PACKAGE_HOST,
    )


SOURCES: Mapping[str, PublishedSource] = {
    source.name: source
    for source in (_nl2bash(), _spider(), _wikisql(), _bird(), _mbpp(), _apps(), _ctf(), _sdist_fixes())
}
"""Every published data set by name."""
