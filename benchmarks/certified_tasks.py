"""Certify thousands of generated tasks, a seed at a time: `python -m benchmarks.certified_tasks bash --out FOLDER`.

Each seed is certified by `intercode certify` and leaves a certificate in the folder. What is there is not made
again, so a run that was stopped goes on; `--most` ends it early. At the end the certificates are added up, and texts
that two seeds share are looked for.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from intercode import datasets
from intercode_generate.certify.overlap import text_hash

FINE = (0, 3)
"""Exit statuses of `intercode certify` that leave a certificate: all are certified, or some are not."""


def certify(kind: str, seed: int, count: int, parallel: int, out: Path) -> None:
    """Write the certificate of one seed. Raises CalledProcessError where the machine failed."""
    begun = out.with_suffix(".part")
    options = ["--dataset-option", f"count={count}", "--dataset-option", f"seed={seed}", "--parallel", str(parallel)]
    if kind == "sql":
        options += ["--database", "sqlite"]
    command = [sys.executable, "-m", "intercode", "certify", f"generated-{kind}", *options, "--out", str(begun)]
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    if status not in FINE:
        raise subprocess.CalledProcessError(status, command)
    begun.rename(out)


def added_up(certificates: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Their counts together; tasks that are not certified by the kind of their first reason."""
    total: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    checks: Counter[str] = Counter()
    for each in certificates:
        total.update(seeds=1, tasks=each["tasks"], certified=each["certified"])
        rejected.update({kind: found["tasks"] for kind, found in each["rejected"].items()})
        checks.update(each["checks"])
    return {**total, "share": total["certified"] / max(1, total["tasks"]), "rejected": dict(rejected), **checks}


def repeated_texts(kind: str, seeds: Sequence[int], count: int) -> int:
    """Return how many tasks of these seeds have a text that an earlier seed has as well."""
    seen: set[str] = set()
    found = 0
    for seed in seeds:
        texts = [text_hash(task) for task in datasets.load(f"generated-{kind}", count=count, seed=seed)]
        found += sum(text in seen for text in texts)
        seen.update(texts)
    return found


def main() -> None:
    """Certify what is missing, and print what all certificates say together."""
    parser = argparse.ArgumentParser(description="Certify thousands of generated tasks.")
    parser.add_argument("kind", choices=("bash", "sql", "python"))
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the certificates are")
    parser.add_argument("--seeds", type=int, default=50, metavar="N", help="how many seeds, from 1000 on")
    parser.add_argument("--count", type=int, default=200, metavar="N", help="tasks of each seed")
    parser.add_argument("--most", type=int, metavar="N", help="make so many certificates and end")
    parser.add_argument("--parallel", type=int, default=2, metavar="N", help="tasks at a time")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    seeds = range(1000, 1000 + given.seeds)
    files = {seed: given.out / f"{given.kind}-{seed}-{given.count}.json" for seed in seeds}
    for seed in [seed for seed in seeds if not files[seed].exists()][: given.most]:
        certify(given.kind, seed, given.count, given.parallel, files[seed])
    there = [seed for seed in seeds if files[seed].exists()]
    found = added_up(json.loads(files[seed].read_text(encoding="utf-8")) for seed in there)
    if len(there) == len(seeds):
        found["texts_of_an_earlier_seed"] = repeated_texts(given.kind, there, given.count)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
