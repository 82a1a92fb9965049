"""Find bug fixes between two releases of Python packages, for the data set `sdist-fixes`.

    python scripts/mine_sdist_fixes.py PACKAGE … --out FOLDER [--pairs N]

For each package the source distributions of its latest releases are fetched into the data set's folder, and each pair
of neighbours is tried out as a task would be: the later release's tests on the earlier one's code, and on that with the
later one's code, three times each, in the sandbox. A pair makes a row where tests fail before and pass after each time,
and the fix is small. Rows go to FOLDER/PACKAGE.jsonl with an empty `query`, which somebody has to write, from the
behaviour and in words of their own; `--assemble` then joins what has one into the data set.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from intercode.datasets.repositories import TestSpec
from intercode.datasets.repositories.patch_text import changed_paths
from intercode.datasets.sdist_fixes import dataset as sdist_fixes
from intercode.datasets.sdist_fixes.sdists import read_sdist
from intercode.datasets.sources import folder_of
from intercode.errors import IntercodeError
from intercode.worlds.swe.env import LIMITS
from intercode.worlds.swe.patch import SuiteRun, worst_statuses
from intercode.worlds.swe.test_runner import run_before_or_after
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images.uv_layer import INDEX

PYTEST_PACKAGES = frozenset({"iniconfig", "packaging", "pluggy", "pygments", "pytest"})
"""What every task's image holds, as late as it is here: whoever plays could look a fix up there."""

SIMPLE = "application/vnd.pypi.simple.v1+json"
MOST_LINES, MOST_MENDED, MOST_KEPT, ROUNDS = 250, 40, 400, 3
SLOWEST = 15.0
"""Seconds for all tests of a pair, so that tasks are judged soon."""

PERMISSIVE = re.compile(r"\b(MIT|BSD|Apache|ISC|Python Software Foundation|PSF|Unlicense|0BSD|Zlib)\b", re.IGNORECASE)
TEST_NAME = re.compile(r"(test_.*|.*_test|tests)\.py$")
STARTED_AT = 1_735_689_600.0
DATA = Path(sdist_fixes.__file__).parent


def main() -> None:
    """Mine the packages that are named, or assemble what was mined."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE")
    parser.add_argument("--out", type=Path, required=True, help="a folder for rows")
    parser.add_argument("--pairs", type=int, default=12, help="how many of the latest pairs of each package")
    parser.add_argument("--assemble", action="store_true", help="join rows that have a query into the data set")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.assemble:
        assemble(options.out)
        return
    with EmbeddedSandbox() as sandbox:
        for package in options.packages:
            rows = list(mine(package, options.pairs, sandbox))
            lines = [json.dumps(row) + "\n" for row in rows]
            (options.out / f"{package}.jsonl").write_text("".join(lines), encoding="utf-8")
            print(f"{package}: {len(rows)} rows", flush=True)


def mine(package: str, pairs: int, sandbox: EmbeddedSandbox) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each of the latest *pairs* of neighbours that has a fix."""
    if package in PYTEST_PACKAGES:
        print(f"{package}: tests need it, in a later release", file=sys.stderr)
        return
    try:
        releases = list_releases(package)
    except OSError as error:
        print(f"{package}: {error}", file=sys.stderr)
        return
    for before, after in list(pairwise(releases))[-pairs:]:
        began = time.monotonic()
        try:
            row = try_pair(package, before, after, sandbox)
        except (IntercodeError, OSError) as error:
            row = f"{type(error).__name__}: {str(error)[:200]}"
        said = row if isinstance(row, str) else f"{len(row['FAIL_TO_PASS'])} to mend"
        print(
            f"{package} {before['version']} {after['version']}: {said} ({time.monotonic() - began:.0f} s)", flush=True
        )
        if not isinstance(row, str):
            yield row


def list_releases(package: str) -> list[dict[str, Any]]:
    """Return the final releases that have a source distribution, in order."""
    request = urllib.request.Request(f"{INDEX}/{package}/", headers={"Accept": SIMPLE})
    with urllib.request.urlopen(request, timeout=60) as answer:
        files = json.load(answer)["files"]
    found: dict[Version, dict[str, Any]] = {}
    for file in files:
        stem = str(file["filename"]).removesuffix(".tar.gz")
        try:
            version = Version(stem.rpartition("-")[2])
        except InvalidVersion:
            continue
        if stem != file["filename"] and not version.is_prerelease and not file.get("yanked"):
            path = file["url"].partition("/packages/")[2]
            found[version] = {
                "version": str(version), "file": file["filename"], "sha256": file["hashes"]["sha256"], "path": path,
                "size": file.get("size", 0), "url": file["url"],
            }  # fmt: skip
    return [found[version] for version in sorted(found)]


def fetch(release: Mapping[str, Any]) -> dict[str, Any]:
    """Put a release into the data set's folder, and return what a row says of it."""
    target = folder_of("sdist-fixes") / release["file"]
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(release["url"], timeout=60) as answer:
            data = answer.read()
        if sha256(data).hexdigest() != release["sha256"]:
            raise OSError(f"{release['file']}: not what the index says")
        target.write_bytes(data)
    return {key: release[key] for key in ("version", "file", "sha256", "path")} | {"size": target.stat().st_size}


def licence_of(release: Mapping[str, Any]) -> str:
    """Return what a release says of its licence, in its own words."""
    metadata = read_sdist(folder_of("sdist-fixes") / release["file"]).get("PKG-INFO", b"").decode("utf-8", "replace")
    found = re.findall(r"^(?:License-Expression: |Classifier: License :: (?:OSI Approved :: )?)(.+)$", metadata, re.M)
    found = found or re.findall(r"^License: (.+)$", metadata, re.M)
    return str(found[0]).strip() if found else ""


def try_pair(package: str, before: Mapping[str, Any], after: Mapping[str, Any], sandbox: EmbeddedSandbox) -> Any:
    """Return the row of a pair; or why it has none."""
    if max(before["size"], after["size"]) > 4 << 20:
        return "too large"
    row: dict[str, Any] = {"package": package, "before": fetch(before), "after": fetch(after), "query": ""}
    if not PERMISSIVE.search(licence_of(after)):
        return f"licence {licence_of(after)!r}"
    row["licence"] = licence_of(after)
    row |= {"path": [], "FAIL_TO_PASS": [], "PASS_TO_PASS": []}
    dataset = sdist_fixes.SdistFixesDataset(rows=[row])
    extra = dataset[0].extra
    tests = [path for path in sorted(changed_paths(extra["test_patch"])) if TEST_NAME.match(path.rpartition("/")[2])]
    changed = sum(line[:1] in "+-" and line[:3] not in ("+++", "---") for line in extra["patch"].split("\n"))
    if not tests or not 0 < changed <= MOST_LINES:
        return f"{len(tests)} changed tests, {changed} changed lines"
    row["path"] = ["src"] if any(path.startswith("src/") for path in changed_paths(extra["patch"])) else []
    row["FAIL_TO_PASS"] = [f"{path}::any" for path in tests]
    dataset = sdist_fixes.SdistFixesDataset(rows=[row])
    task, image = dataset[0], images.find("host")
    spec, image = TestSpec.of(task), dataset.image(task, image)
    spec = replace(spec, suite=replace(spec.suite, seconds=SLOWEST))

    def run(gold: str) -> SuiteRun:
        return run_before_or_after(sandbox, image, spec, limits=LIMITS, started_at=STARTED_AT, gold=gold)

    failing: set[str] | None = None
    passing: set[str] | None = None
    for _ in range(ROUNDS):
        with_fix, without = run(spec.patch), run("")
        if with_fix.notes:
            return f"with the fix: {'; '.join(with_fix.notes)}"
        good, good_before = passed(with_fix), passed(without)
        failing = good - good_before if failing is None else failing & (good - good_before)
        passing = good & good_before if passing is None else passing & good & good_before
        if not passing or not 0 < len(failing) <= MOST_MENDED:
            return f"{len(failing)} tests to mend, {len(passing)} to keep"
    assert failing is not None
    assert passing is not None
    row["FAIL_TO_PASS"], row["PASS_TO_PASS"] = sorted(failing), sorted(passing)[:MOST_KEPT]
    return row


def passed(run: SuiteRun) -> set[str]:
    """Return the tests that passed, by their names at pytest."""
    return {name for name, status in worst_statuses(run).items() if status == "passed" and "::" in name}


def assemble(folder: Path) -> None:
    """Join the rows that have a query into the data set."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = sorted(
        (json.loads(line) for line in lines), key=lambda row: (row["package"], Version(row["after"]["version"]))
    )
    rows = [{**row, "licence": licence_of(row["after"])} for row in rows if row["query"]]
    files = {row[kind]["file"]: row[kind] for row in rows for kind in ("before", "after")}
    table = [[f"{each['path']}", each["sha256"], each["size"]] for _, each in sorted(files.items())]
    write(DATA / "sdists.json", ["[" + ",\n ".join(json.dumps(row) for row in table) + "]\n"])
    keep = ("version", "file", "sha256")
    slim = [row | {kind: {key: row[kind][key] for key in keep} for kind in ("before", "after")} for row in rows]
    write(DATA / "tasks.jsonl", [json.dumps(row) + "\n" for row in slim])
    print(f"{len(rows)} tasks of {len({row['package'] for row in rows})} packages")


def write(path: Path, lines: Sequence[str]) -> None:
    """Write a file of the data set."""
    path.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
