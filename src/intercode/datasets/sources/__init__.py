"""Where published data comes from: one entry a data set, fetched once, pinned by commit and checksum."""

from __future__ import annotations

from intercode.datasets.sources.fetch import Availability, available, folder_of, get
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
    "SOURCES",
    "Availability",
    "PublishedFile",
    "PublishedFolder",
    "PublishedSource",
    "available",
    "folder_of",
    "get",
]
