"""WikiSQL as InterCode published it: 196 questions, each over one table of Wikipedia."""

from __future__ import annotations

from intercode.datasets.databases import PublishedDataset


class WikiSQLDataset(PublishedDataset):
    """The tasks `wikisql/0` to `wikisql/195`, over the tables of one database.

    As published most golds are no SQL: texts stand in them without quotes, and so do names with blanks and signs. Only
    22 can be run; under `exact` scoring nothing agrees with the others.
    """

    name = "wikisql"
    tasks_file = "ic_wikisql_dev.json"
    dump_file = "ic_wikisql_dev.sql"
