"""What data sets of the SQL world share: tasks that name a database, and the files that databases come from."""

from __future__ import annotations

from intercode.datasets.databases.files import database_files, databases_in, dump_in, folder_source
from intercode.datasets.databases.published import PublishedDataset
from intercode.datasets.databases.tasks import read_tasks

__all__ = ["PublishedDataset", "database_files", "databases_in", "dump_in", "folder_source", "read_tasks"]
