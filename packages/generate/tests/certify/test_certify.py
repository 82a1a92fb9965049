"""Certificates by the real sandbox: good tasks pass, and each fault that a task can have is found."""

from __future__ import annotations

import json

import pytest

from intercode.runs.settings import Settings
from intercode_generate.certify.run import certify
from intercode_generate.certify.verdict import Certificate, kind_of

GOOD: dict[str, object] = {"query": "Make the file /tmp/kiwi hold seven letters.", "gold": "echo bramble > /tmp/kiwi"}

TASKS: dict[str, dict[str, object]] = {
    "good": {
        **GOOD,
        "second_gold": "printf 'bramble\\n' | tee /tmp/kiwi",
        "near_misses": ["echo brambles > /tmp/kiwi"],
    },
    "moving": {"query": "Say a number.", "gold": "echo $RANDOM$RANDOM$RANDOM"},
    "other": {**GOOD, "query": "Write into /tmp/kiwi.", "second_gold": "echo other > /tmp/kiwi"},
    "loose": {**GOOD, "query": "Write to /tmp/kiwi.", "near_misses": ["echo bramble > /tmp/kiwi; true"]},
    "paid": {"query": "Say ok.", "gold": "echo ok"},
    "twice": {**GOOD},
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    path = tmp_path_factory.mktemp("certify") / "tasks.jsonl"
    path.write_text("".join(json.dumps({"id": name, **task}) + "\n" for name, task in TASKS.items()))
    return certify(Settings(str(path)), parallel=2)


def test_what_is_as_it_should_be_is_certified(found: Certificate) -> None:
    assert [verdict.task for verdict in found.certified] == ["tasks/good"]


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("moving", "gold"),
        ("other", "second gold"),
        ("loose", "near miss"),
        ("paid", "adversary"),
        ("twice", "repeated text"),
    ],
)
def test_each_fault_is_told_by_its_kind(found: Certificate, task: str, kind: str) -> None:
    (verdict,) = (each for each in found.verdicts if each.task == f"tasks/{task}")
    assert kind_of(verdict) == kind


def test_the_file_counts_what_was_thrown_away(found: Certificate) -> None:
    told = found.to_json()
    assert (told["tasks"], told["certified"]) == (6, 1)
    assert set(told["rejected"]) == {"gold", "second gold", "near miss", "adversary", "repeated text"}
    assert told["ids"] == ["tasks/good"]
    json.dumps(told)
