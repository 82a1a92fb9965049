"""What data sets of the SQL world share: tasks that name a database, and the files that databases come from."""

from __future__ import annotations

from intercode.datasets.sql.databases import databases_in, dump_in, folder_source
from intercode.datasets.sql.published import PublishedDataset
from intercode.datasets.sql.tasks import read_tasks

__all__ = ["PublishedDataset", "databases_in", "dump_in", "folder_source", "read_tasks"]
