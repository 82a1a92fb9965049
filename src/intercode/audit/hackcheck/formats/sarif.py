"""A report as SARIF 2.1.0, which code hosts show beside the lines that it is about."""

from __future__ import annotations

import os
from typing import Any

from intercode import __version__
from intercode.adversaries.hole_classes import HoleClass
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.audit.hackcheck.verdict import Hole

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(report: HackcheckReport, where: str) -> dict[str, Any]:
    """Return *report* as SARIF; *where* is the file of what has no line in a reward: the data set's."""
    holes = [(check.task, hole) for check in report.checks for hole in check.holes]
    kinds = {hole.kind.name: hole.kind for _, hole in holes}
    results = [_result(report, task, hole, where) for task, hole in holes]
    if report.outcome == "unchecked":
        results.append(_finding("nothing-checked", report.sentence, where))
    rules = [*map(_rule, kinds.values()), {"id": "nothing-checked"}]
    driver = {"name": "intercode hackcheck", "version": __version__, "rules": rules}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _rule(kind: HoleClass) -> dict[str, Any]:
    return {"id": kind.name, "shortDescription": {"text": kind.mistake}, "help": {"text": kind.remedy}}


def _result(report: HackcheckReport, task: str, hole: Hole, where: str) -> dict[str, Any]:
    moves = " ⏎ ".join(map(str, hole.moves)) or "submit"
    text = f"{task} pays {hole.value:.2f} to {hole.adversary} for: {moves}. {hole.kind.mistake}"
    found = _finding(hole.kind.name, text, hole.file or where, hole.line)
    known = not report.is_new(task, hole)
    return found | {
        "level": "note" if known else "error",
        "baselineState": "unchanged" if known else "new",
        "partialFingerprints": {"hole/v1": f"{task}/{hole.kind.name}"},
    }


def _finding(rule: str, text: str, file: str, line: int = 0) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": os.path.relpath(file).replace(os.sep, "/")}}
    if line:
        place["region"] = {"startLine": line}
    return {
        "ruleId": rule,
        "level": "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
