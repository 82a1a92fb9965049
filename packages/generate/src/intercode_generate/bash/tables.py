"""Parts of CSV files that families ask about: a table, a condition on its rows, a column of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from intercode_generate.bash.shell import word
from intercode_generate.bash.world import BashWorld, CsvTable
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty

Row = tuple[str, ...]

NUMBERS = ("quantity", "hours", "value", "count")
LABELS = ("customer", "item", "state", "city", "sensor", "unit", "shelf")


@dataclass(frozen=True, slots=True)
class CsvRows:
    """Rows of *table* for which something holds: in words, as an awk condition, and the rows themselves."""

    table: CsvTable
    text: str
    awk: str
    holds: Callable[[Row], bool]

    @property
    def rows(self) -> list[Row]:
        """The rows that are meant."""
        return [row for row in self.table.rows if self.holds(row)]

    @property
    def file(self) -> str:
        """The table's path for a shell."""
        return word(self.table.path)


def label_column(draw: Draw, table: CsvTable, but: str = "") -> str | None:
    """Return a column of labels in which some occur more than once."""
    columns = [name for name in table.columns if name in LABELS and name != but]
    good = [name for name in columns if 1 < len(set(table.values(name))) < len(table.rows)]
    return draw.pick(good) if good else None


def number_column(draw: Draw, table: CsvTable) -> str | None:
    """Return a column of whole numbers."""
    columns = [name for name in table.columns if name in NUMBERS]
    return draw.pick(columns) if columns else None


def some_rows(draw: Draw, world: BashWorld, difficulty: Difficulty, table: CsvTable | None = None) -> CsvRows | None:
    """Two rows at least, and not all of them: by a label, and where it is hard by a date, too."""
    table = table or draw.pick(world.tables)
    column = label_column(draw, table)
    if column is None:
        return None
    value = draw.pick(table.values(column))
    at = table.columns.index(column)
    rows = CsvRows(table, f"whose `{column}` is `{value}`", f'${at + 1} == "{value}"', lambda row: row[at] == value)
    if difficulty == "hard" and "date" in table.columns:
        day = draw.pick(table.values("date"))
        when = table.columns.index("date")
        rows = CsvRows(
            table,
            f"whose `{column}` is `{value}` and whose `date` is `{day}` or later",
            f'${at + 1} == "{value}" && ${when + 1} >= "{day}"',
            lambda row: row[at] == value and row[when] >= day,
        )
        if len([row for row in table.rows if row[at] == value]) == len(rows.rows):
            return None
    return rows if 2 <= len(rows.rows) < len(table.rows) else None
