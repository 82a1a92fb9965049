"""A fix tried out: in a fresh session like the agent's, with the hidden tests, and its results believed or not."""

from __future__ import annotations

import base64
import hmac
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import Any

from intercode.datasets.repositories import ROOT, TestSpec
from intercode.env.gold_runner import fresh
from intercode.errors import ImageError
from intercode.worlds.bash.shell import HASH_SEED
from intercode.worlds.swe.agent_patch import AgentPatch
from intercode.worlds.swe.patch import PASSED, WORST, CaseOutcome, SuiteRun, ending
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Result, Sandbox

PROGRAM = Path(__file__).parent / "inside" / "run_tests.py"
SPOILING = Path(__file__).parent / "inside" / "mutate_tests.py"

FORGED = "not believed: tests that were broken on purpose passed all the same"
EXCUSED = "counted as failed: tests that failed as if that were expected, which it is not with the gold"

REPORTS = 16 << 20
"""Bytes of reports, and of what the tests print, that are kept."""


def run_hidden_tests(
    sandbox: Sandbox, image: Image, spec: TestSpec, fix: AgentPatch, *, limits: Limits, started_at: float
) -> SuiteRun:
    """Run the tests of *spec* over *fix*, in a fresh session, with *limits* but for time.

    From then on whatever goes wrong is the fix's doing.

    Where tests that should be mended pass, they are run again, broken on purpose: none may pass then, but for those
    that the gold makes pass even so (they are not where they seem to be). A failure that was expected counts as one
    where it is none, or not expected, with the gold: what is tested can say so of any test (`pytest.xfail()`).

    Raises:
        ImageError: If the session is not fit for it before any code of the agent has run: no git, no Python, no
            pytest, a test patch that does not apply.
    """
    limits = replace(limits.for_judging(limits.network_policy), seconds=spec.suite.seconds, output=REPORTS)
    session = _TestSession(sandbox, image, spec, limits, started_at)
    run = session.run(fix)
    if not spec.suite.controls:
        return run
    if ending(run, spec.names, "xfailed"):
        run = _without_excuses(run, session.run(AgentPatch(), gold=spec.patch))
    if not ending(run, spec.fail_to_pass, "passed"):
        return run
    suspicious = ending(session.run(fix, broken=True), spec.fail_to_pass, "passed")
    if suspicious and suspicious - ending(
        session.run(AgentPatch(), broken=True, gold=spec.patch), suspicious, "passed"
    ):
        return SuiteRun(notes=(FORGED, *run.notes))
    return run


def run_before_or_after(
    sandbox: Sandbox, image: Image, spec: TestSpec, *, limits: Limits, started_at: float, gold: str = ""
) -> SuiteRun:
    """Run the tests of *spec* once without any fix, or with *gold* alone.

    Raises:
        ImageError: As `run_hidden_tests` does, and if *gold* does not apply.
    """
    limits = replace(limits, seconds=spec.suite.seconds, output=REPORTS)
    return _TestSession(sandbox, image, spec, limits, started_at).run(AgentPatch(), gold=gold)


def _without_excuses(run: SuiteRun, golden: SuiteRun) -> SuiteRun:
    """Return *run*, with the tests as failed that fail as is expected of them, but not of them in the *golden* run.

    Where that did not come to its end nobody knows, and *run* stands as it is.
    """
    if golden.notes:
        return run
    excused = {name for outcome in golden.outcomes if outcome.status == "xfailed" for name in outcome.names}

    def without_excuse(outcome: CaseOutcome) -> CaseOutcome:
        is_excuse = outcome.status == "xfailed" and excused.isdisjoint(outcome.names)
        return replace(outcome, status="failed") if is_excuse else outcome

    outcomes = tuple(map(without_excuse, run.outcomes))
    return run if outcomes == run.outcomes else SuiteRun(outcomes, (EXCUSED, *run.notes))


@dataclass(frozen=True, slots=True)
class _TestSession:
    """Where fixes are tried out: a fresh session for each run."""

    sandbox: Sandbox
    image: Image
    spec: TestSpec
    limits: Limits
    started_at: float

    def run(self, fix: AgentPatch, *, broken: bool = False, gold: str = "") -> SuiteRun:
        """Return what the tests, *broken* or not, say of *fix* and *gold* together."""
        suite = self.spec.suite
        key, control = token_bytes(32), token_hex(6) if suite.controls and not suite.script else ""
        order = {**_order(self.spec, fix, key, control), "patch": _text(gold.encode()), "spoiling": {}}
        if broken:
            files, names = self.spec.candidate_files, self.spec.functions
            order["spoiling"] = {"program": SPOILING.read_text(encoding="utf-8"), "files": files, "names": names}
        result = self._result([suite.python, "-s", "-c", PROGRAM.read_text(encoding="utf-8")], order, fix)
        reports = is_believed(result.output, key)
        _refuse_unfit(self.image, reports.records, result, self.spec)
        return _run(reports, result, control, self.spec)

    def _result(self, argv: Sequence[str], order: Mapping[str, Any], fix: AgentPatch) -> Result:
        start = partial(self.sandbox.start, self.image, started_at=self.started_at, limits=self.limits)
        with fresh(start) if fix.is_empty else start() as session:
            env = {**HASH_SEED, **self.image.env}
            return session.run(argv, cwd="/", env=env, stdin=json.dumps(order).encode(), separate=True)


@dataclass(frozen=True, slots=True)
class TestReports:
    """The records of the program in the session; `strange` counts lines that it did not write."""

    records: Sequence[Mapping[str, Any]]
    strange: int = 0


def is_believed(output: bytes, key: bytes) -> TestReports:
    """Return the lines of *output* that carry the right code, in their order, each once.

    What is tested may have found the key: a record that the program would not write is believed no more than others.
    """
    records, strange = list[Mapping[str, Any]](), 0
    for line in output.split(b"\n")[:-1]:
        code, _, text = line.partition(b" ")
        right = hmac.new(key, text, "sha256").hexdigest().encode()
        record = _record(text) if hmac.compare_digest(code, right) else None
        if record is None or record.get("number") != len(records):
            strange += 1
        else:
            records.append(record)
    return TestReports(records, strange)


def _record(text: bytes) -> Mapping[str, Any] | None:
    """Return what the program in the session has written as *text*; None where that is nothing of the kind."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.get("kind") not in ("ready", "unfit", "test", "end"):
        return None
    if record["kind"] == "unfit":
        return record if isinstance(record.get("why"), str) else None
    if record["kind"] != "test":
        return record
    names = record.get("names")
    is_named = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return record if is_named and record.get("status") in WORST else None


def _order(spec: TestSpec, fix: AgentPatch, key: bytes, control: str) -> dict[str, Any]:
    """Return what the program is told."""
    suite = spec.suite
    return {
        "key": _text(key),
        "root": ROOT,
        "imports": [f"{ROOT}/{path}" for path in suite.path],
        "test_patch": _text(spec.test_patch.encode()),
        "new": [_path(file.path) for file in fix.written if file.new and not spec.is_of_gold(file.path)],
        "written": [(_path(file.path), file.mode, _text(file.content)) for file in fix.written],
        "removed": [_path(path) for path in fix.removed],
        "runner": suite.runner,
        "script": suite.script,
        "arguments": suite.arguments,
        "targets": spec.targets,
        "control": control,
    }


def _path(path: str) -> str:
    return _text(os.fsencode(path))


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _refuse_unfit(image: Image, records: Sequence[Mapping[str, Any]], result: Result, spec: TestSpec) -> None:
    """Raise ImageError unless the program came to the point where tests could be run."""
    if records and records[0]["kind"] == "ready":
        return
    if records:
        raise ImageError(f"no fix can be tested on the image {image.name!r}: {records[0]['why']}")
    said = result.errors.decode("utf-8", "replace").strip().rpartition("\n")[2] or result.text.strip()
    raise ImageError(
        f"no fix can be tested on the image {image.name!r}: {spec.suite.python!r} did not begin with the tests "
        f"({said or f'status {result.exit_code}'}); it needs Python 3.6 or later, git{_and_pytest(spec)}"
    )


def _and_pytest(spec: TestSpec) -> str:
    return " and pytest" if spec.suite.runner == "pytest" else ""


def _run(reports: TestReports, result: Result, control: str, spec: TestSpec) -> SuiteRun:
    """Return what is to be made of *reports*.

    With controls, nothing, unless those were run, which is last, and failed.
    """
    tests = [record for record in reports.records if record["kind"] == "test"]
    outcomes = [CaseOutcome(tuple(record["names"]), WORST[WORST.index(record["status"])]) for record in tests]
    notes = tuple(_notes(reports, result, spec))
    if not control:
        return SuiteRun(tuple(outcomes), notes)
    controls = [outcome for outcome in outcomes if _mentions(outcome, control)]
    if any(outcome.status in PASSED for outcome in controls):
        return SuiteRun(notes=("not believed: tests that must fail were made to pass", *notes))
    if not controls:
        return SuiteRun(notes=(*notes, "not believed: the tests that must fail, which come last, were not reached"))
    return SuiteRun(tuple(outcome for outcome in outcomes if outcome not in controls), notes)


def _mentions(outcome: CaseOutcome, control: str) -> bool:
    return any(control in name for name in outcome.names)


def _notes(reports: TestReports, result: Result, spec: TestSpec) -> list[str]:
    notes = []
    if result.timed_out:
        notes.append(f"the tests did not end within {spec.suite.seconds:g} s")
    elif reports.records[-1]["kind"] != "end":
        notes.append(f"the tests' process ended before they did, with status {result.exit_code}")
    if reports.strange:
        notes.append(f"{reports.strange} lines on the tests' channel were not theirs")
    if result.truncated:
        notes.append("the tests' reports were cut: there were too many")
    return notes
