"""Spider as InterCode published it: 1034 questions over 20 MySQL databases."""

from __future__ import annotations

from intercode.datasets.databases import PublishedDataset


class SpiderDataset(PublishedDataset):
    """The tasks `spider/0` to `spider/1033`. A task's difficulty is its hardness: easy, medium, hard or extra.

    Its category is the database that it is about, spelled as published; `extra` holds it as `db`, and as `db_tables`
    the columns of each table, for prompts that tell the schema.
    """

    name = "spider"
    tasks_file = "ic_spider_dev.json"
    dump_file = "ic_spider_dbs.sql"
    difficulty = "hardness"
