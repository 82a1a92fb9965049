"""Records in SWE-bench's format, checked, and those that cannot be played for a score."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from intercode.datasets.formats import Record
from intercode.datasets.repositories.record_columns import read_columns, tests_named
from intercode.errors import BadDataError
from intercode_sandbox.util.text import pluralize

_REPO = re.compile(r"[A-Za-z0-9_.][\w.-]*/[A-Za-z0-9_.][\w.-]*\Z")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")
TESTS = ("FAIL_TO_PASS", "PASS_TO_PASS")
_NEEDED = ("instance_id", "repo", "base_commit", "problem_statement", "patch", "test_patch")


def sort_records(records: Sequence[Record], path: Path) -> tuple[list[Record], dict[str, str]]:
    """Return the records that can be played, and of the others the reasons why not by their names.

    Raises:
        BadDataError: If a record is malformed, or none can be played.
    """
    playable, left_out = list[Record](), dict[str, str]()
    for record in records:
        checked = _check_record(record, path)
        why = _refusal(record, checked)
        if why:
            left_out[checked.columns["id"]] = f"{path}: {record.place}, {why}"
        else:
            playable.append(checked)
    if not playable:
        raise BadDataError(next(iter(left_out.values())))
    return playable, left_out


def left_out_note(left_out: Mapping[str, str]) -> Iterator[str]:
    """Yield how many records are left out, if any, and why the first of them is."""
    for name, why in list(left_out.items())[:1]:
        yield f"{pluralize(len(left_out), 'record')} left out, such as {name}: {why}"


def column_notes(records: Sequence[Record], path: Path) -> Iterator[str]:
    """Yield a sentence for each column that changes nothing."""
    reasons: dict[str, str] = {}
    for record in records:
        reasons.update(read_columns(record.columns).unused)
    yield from (f"{path}: {name} is not used: {why}" for name, why in reasons.items())


def _refusal(record: Record, checked: Record) -> str:
    """Return why *record* cannot be played for a score; "" if it can."""
    if not checked.columns["FAIL_TO_PASS"]:
        state = "missing" if tests_named(record.columns, "FAIL_TO_PASS") is None else "empty"
        return (
            f"field 'FAIL_TO_PASS' is {state}: name the tests that fail at the base commit and that a fix has to make "
            "pass"
        )
    return read_columns(record.columns).refusal


def _check_record(record: Record, path: Path) -> Record:
    """Return *record* with columns called as ours are, and its tests as lists."""
    columns = dict(record.columns)
    for name in _NEEDED:
        if not isinstance(columns.get(name), str):
            raise BadDataError(f"{path}: {record.place}, field {name!r}: expected a string; SWE-bench's format has one")
    for name, pattern in (("repo", _REPO), ("base_commit", _COMMIT)):
        if not pattern.match(columns[name]) or ".." in columns[name]:
            form = "OWNER/NAME" if name == "repo" else "40 hex digits"
            raise BadDataError(f"{path}: {record.place}, field {name!r}: expected {form}, not {columns[name]!r}")
    tests = {name: _tests(record, name, path) for name in TESTS}
    version = columns.get("version")
    ours = {
        "id": columns["instance_id"],
        "category": columns["repo"],
        "version": "" if version is None else str(version),
    }
    return replace(record, columns={**columns, **ours, **tests})


def _tests(record: Record, name: str, path: Path) -> tuple[str, ...]:
    """Names of tests: a list, or a list written as JSON, as it is published."""
    value: Any = tests_named(record.columns, name)
    value = [] if value is None else value
    if isinstance(value, str):
        try:
            value = _read_list(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
            raise BadDataError(f"{path}: {record.place}, field {name!r} is not JSON: {error}") from error
    if not isinstance(value, list) or not all(isinstance(test, str) for test in value):
        raise BadDataError(f"{path}: {record.place}, field {name!r}: expected a list of names of tests")
    return tuple(value)


def _read_list(text: str) -> Any:
    """Return the list in *text*: as JSON, or as Python writes it, which SWE-bench Pro has. Nothing is no test."""
    if not text.strip():
        return []
    try:
        return json.loads(text)
    except ValueError:
        if "'" not in text:
            raise
        return ast.literal_eval(text.strip())
