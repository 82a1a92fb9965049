"""What a certificate says of one task, and of all of them together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from intercode.errors import MachineError
from intercode.types.gold_warnings import GoldWarning
from intercode.util.atomic_write import write_text

MOST_SHOWN = 5
"""Tasks that a certificate names for each reason."""


@dataclass(frozen=True, slots=True)
class TaskVerdict:
    """One task: why it is not certified (nothing, if it is), and what was played to know.

    `near_misses` is how many were played; where they are *mutants* of the gold, made because the set gives none,
    `survivors` are those that scored 1: perhaps they do the same, so they count for nothing. `attempts` counts the
    adversaries' episodes; `most_paid` is the most that an adversary who guesses earned for a part. `warnings` are hints
    to read a gold; they count for nothing.
    """

    task: str
    reasons: tuple[str, ...] = ()
    error: str = ""
    second_golds: int = 0
    near_misses: int = 0
    mutants: bool = False
    survivors: tuple[str, ...] = ()
    attempts: int = 0
    most_paid: float = 0.0
    warnings: tuple[GoldWarning, ...] = ()

    @property
    def is_certified(self) -> bool:
        """Return whether all was as it should be."""
        return not self.reasons and not self.error

    is_good = is_certified


@dataclass(frozen=True)
class Certificate:
    """What was certified of a data set, how, and what was not."""

    dataset: str
    checksum: str
    verdicts: tuple[TaskVerdict, ...]
    seconds: float
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def certified(self) -> list[TaskVerdict]:
        """The tasks that passed."""
        return [each for each in self.verdicts if each.is_certified]

    @property
    def share(self) -> float:
        """Certified tasks over all."""
        return len(self.certified) / len(self.verdicts) if self.verdicts else 0.0

    @property
    def rejected(self) -> Mapping[str, list[str]]:
        """The ids of tasks that are not certified, by the kind of the first reason."""
        found: dict[str, list[str]] = {}
        for verdict in self.verdicts:
            if not verdict.is_certified:
                found.setdefault(kind_of(verdict), []).append(verdict.task)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return all of it for `certificate.json`."""
        checks = Counter(
            second_golds=sum(each.second_golds for each in self.verdicts),
            near_misses=sum(each.near_misses for each in self.verdicts if not each.mutants),
            mutants=sum(each.near_misses for each in self.verdicts if each.mutants),
            mutants_that_score_1=sum(len(each.survivors) for each in self.verdicts if each.mutants),
            adversary_episodes=sum(each.attempts for each in self.verdicts),
        )
        return {
            "dataset": self.dataset,
            "checksum": self.checksum,
            **self.about,
            "tasks": len(self.verdicts),
            "certified": len(self.certified),
            "share": round(self.share, 6),
            "rejected": {kind: {"tasks": len(ids), "first": ids[:MOST_SHOWN]} for kind, ids in self.rejected.items()},
            "checks": dict(checks),
            "without_second_gold": sum(not each.second_golds for each in self.verdicts),
            "most_paid_for_a_part": max((each.most_paid for each in self.verdicts), default=0.0),
            "seconds": round(self.seconds, 3),
            "tasks_per_second": round(len(self.verdicts) / self.seconds, 2) if self.seconds else None,
            "gold_warnings": [asdict(warning) for each in self.verdicts for warning in each.warnings],
            "not_certified": [_plain(each) for each in self.verdicts if not each.is_certified],
            "ids": [each.task for each in self.certified],
        }


def kind_of(verdict: TaskVerdict) -> str:
    """Return the kind of the first thing that is wrong: what stands before the colon."""
    return "machine" if verdict.error else verdict.reasons[0].partition(":")[0]


def _plain(verdict: TaskVerdict) -> dict[str, Any]:
    return {"task": verdict.task, "reasons": list(verdict.reasons), "error": verdict.error}


def summary(certificate: Certificate) -> Sequence[tuple[str, int]]:
    """Return each kind of reason with its tasks, most frequent first."""
    counts = [(kind, len(ids)) for kind, ids in certificate.rejected.items()]
    return sorted(counts, key=lambda each: (-each[1], each[0]))


def write(certificate: Certificate, path: Path) -> None:
    """Write it as JSON, whole or not at all.

    Raises:
        MachineError: If it cannot be written.
    """
    try:
        write_text(path, json.dumps(certificate.to_json(), indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise MachineError(f"cannot write {path}: {error.strerror}; make room there and certify again") from error
