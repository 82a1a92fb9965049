"""Where published data comes from: one entry a data set, fetched once, pinned by commit and checksum."""

from __future__ import annotations

from intercode.datasets.sources.fetch import Availability, available, folder_of, get
from intercode.datasets.sources.published import HOST, SOURCES, File, Source

__all__ = ["HOST", "SOURCES", "Availability", "File", "Source", "available", "folder_of", "get"]
