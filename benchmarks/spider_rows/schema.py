"""What is known of a database's tables: kinds of columns, keys, and which columns name rows of other tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from intercode.types.databases import Row, TableState

_COLUMN = re.compile(r"^\s+`([^`]+)` (\w+)(?:\((\d+))?[^\n]*?( NOT NULL|)", re.MULTILINE)
_KEY = re.compile(r"(?:PRIMARY|UNIQUE) KEY (?:`[^`]*` )?\(([^\n]*)\)")
_FOREIGN = re.compile(r"FOREIGN KEY \(`([^`]+)`\) REFERENCES `([^`]+)` \(`([^`]+)`\)")
_NAME = re.compile(r"`([^`]+)`")
_NUMBERS = frozenset({"int", "double", "float", "decimal"})

UNSAID: Mapping[tuple[str, str], Mapping[str, tuple[str, str]]] = {
    ("flight_2", "flights"): {"airline": ("airlines", "uid")},
    ("voter_1", "votes"): {"state": ("area_code_state", "state")},
}
"""References that the published schemas mean and do not declare."""

UNSAID_KEYS: Mapping[tuple[str, str], Sequence[tuple[str, ...]]] = {
    ("pets_1", "has_pet"): [("petid",)],
    ("course_teach", "course_arrange"): [("course_id", "teacher_id")],
    ("student_transcripts_tracking", "transcript_contents"): [("student_course_id", "transcript_id")],
    ("student_transcripts_tracking", "student_enrolment_courses"): [("course_id", "student_enrolment_id")],
    ("car_1", "car_makers"): [("maker",), ("fullname",)],
    ("car_1", "countries"): [("countryname",)],
    ("course_teach", "teacher"): [("name",)],
    ("employee_hire_evaluation", "shop"): [("name",)],
    ("employee_hire_evaluation", "employee"): [("name",)],
    ("concert_singer", "singer"): [("name",)],
    ("concert_singer", "stadium"): [("name",)],
    ("singer", "singer"): [("name",)],
    ("orchestra", "conductor"): [("name",)],
    ("orchestra", "orchestra"): [("orchestra",)],
    ("museum_visit", "visitor"): [("name",)],
    ("museum_visit", "museum"): [("name",)],
    ("network_1", "highschooler"): [("name",)],
    ("poker_player", "people"): [("name",)],
    ("voter_1", "contestants"): [("contestant_name",)],
    ("world_1", "country"): [("name",)],
    ("tvshow", "tv_channel"): [("series_name",)],
    ("flight_2", "airlines"): [("airline",)],
}
"""What is unique without being declared: a pet has one owner, a teacher gives a course once. Nor do two people, shops
and so on get one name, since most requests do not say whether they count as one."""

FIXED = frozenset({
    "friend", "breeds", "sizes", "treatment_types", "ref_template_types", "ref_property_types", "ref_feature_types",
    "continents", "area_code_state",
})  # fmt: skip
"""Tables that get no rows: lists of codes, and the friendships, which are planted by hand since they go both ways."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table, by its own name: `columns` and their types, `keys` whose values are unique, and `references`."""

    name: str
    columns: Mapping[str, str]
    sizes: Mapping[str, int]
    keys: Sequence[tuple[str, ...]]
    references: Mapping[str, tuple[str, str]]
    rows: Sequence[Row]

    @property
    def kinds(self) -> Mapping[str, str]:
        """`number` or `text` by the name of each column, in small letters."""
        return {name.lower(): "number" if type in _NUMBERS else "text" for name, type in self.columns.items()}

    def values(self, column: str) -> list[object]:
        """Return what is in *column*, without NULL."""
        place = list(self.columns).index(column)
        return [row[place] for row in self.rows if row[place] is not None]


def references(state: Mapping[str, Table]) -> set[tuple[str, str]]:
    """Return the columns of all tables that name rows of others, each with its table, in small letters."""
    return {(name, column.lower()) for name, table in state.items() for column in table.references}


def read(database: str, state: Mapping[str, TableState]) -> dict[str, Table]:
    """Return the tables of a *state* by their names in small letters."""
    found = {}
    for table in state.values():
        columns = {match[1]: match[2].lower() for match in _COLUMN.finditer(table.create)}
        own = {name.lower(): name for name in columns}
        sizes = {match[1]: int(match[3]) for match in _COLUMN.finditer(table.create) if match[3]}
        keys = [tuple(own[name.lower()] for name in _NAME.findall(match[1])) for match in _KEY.finditer(table.create)]
        keys += [
            tuple(own[name] for name in key) for key in UNSAID_KEYS.get((database.lower(), table.name.lower()), ())
        ]
        references = {match[1].lower(): (match[2].lower(), match[3]) for match in _FOREIGN.finditer(table.create)}
        references |= UNSAID.get((database.lower(), table.name.lower()), {})
        references = {own[name]: other for name, other in references.items()}
        found[table.name.lower()] = Table(table.name, columns, sizes, keys, references, table.rows)
    return found
