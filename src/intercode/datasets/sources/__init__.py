"""Where published data comes from: one entry a data set, fetched once, pinned by commit and checksum."""

from __future__ import annotations

from intercode.datasets.sources.fetch import Availability, available, folder_of, get
from intercode.datasets.sources.packages import PACKAGES, PublishedPackage
from intercode.datasets.sources.published import (
    GIT_HOST,
    HOST,
    SOURCES,
    PublishedFile,
    PublishedFolder,
    PublishedSource,
)

__all__ = [
    "GIT_HOST",
    "HOST",
    "PACKAGES",
    "SOURCES",
    "Availability",
    "PublishedFile",
    "PublishedFolder",
    "PublishedPackage",
    "PublishedSource",
    "available",
    "folder_of",
    "get",
]
