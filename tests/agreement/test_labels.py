"""Labels as data: checked when they are collected, settled by a third reader, and never quoting what is published."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from benchmarks.agreement.episodes import chosen
from benchmarks.agreement.labels import Label, Labels, Reading, _pages, collect, missing, settling_sheets, stored

READINGS: dict[str, dict[str, Label]] = {
    "A": {"x": "done", "y": "done", "z": "not done", "only A": "done"},
    "B": {"x": "done", "y": "arguably", "z": "arguably"},
    "C": {"y": "not done"},
}


def labels() -> Labels:
    return Labels(
        {reader: {id: Reading(id, label, "r") for id, label in found.items()} for reader, found in READINGS.items()}  # type: ignore[misc]
    )


def test_what_two_readers_say_is_settled_and_else_the_third_decides() -> None:
    assert [labels().settled(id) for id in ("x", "y", "z", "only A", "nobody")] == [
        "done",
        "not done",
        None,
        None,
        None,
    ]
    assert labels().both == ["x", "y", "z"]
    assert labels().unsettled == ["z"]


def put(folder: Path, reader: str, *readings: dict[str, str]) -> None:
    (folder / reader).mkdir(exist_ok=True)
    (folder / reader / "bash-01.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, readings)))


def test_labels_are_collected_and_counted(tmp_path: Path, published_data: Path) -> None:
    first = chosen("bash")[0].id
    put(tmp_path, "A", {"id": first, "label": "done", "reason": "lists what is there"})
    put(tmp_path, "B", {"id": first, "label": "not done", "reason": "lists too little"})
    found = collect("bash", tmp_path)
    assert found.unsettled == [first]
    assert missing(found, chosen("bash")) == len(chosen("bash")) - 1
    sheet = f"# {first}\n\n**Request**: do it\n\n~~~~\n# no heading\n~~~~\n\n# {chosen('bash')[1].id}\n\nanother\n"
    (tmp_path / "bash-01.md").write_text(sheet)
    assert len(_pages(tmp_path / "bash-01.md")) == 2
    (page,) = settling_sheets({"bash": found}, tmp_path)
    assert all(part in page for part in ("do it", "lists what is there", "lists too little"))
    assert "another" not in page


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ({"label": "maybe", "reason": "r"}, "Invalid enum value 'maybe'"),
        ({"label": "done", "reason": " "}, "has no reason"),
        ({"label": "done"}, "missing required field `reason`"),
    ],
)
def test_what_is_no_label_is_refused(reading: dict[str, str], said: str, tmp_path: Path, published_data: Path) -> None:
    put(tmp_path, "A", {"id": chosen("bash")[0].id, **reading})
    with pytest.raises(ValueError, match=said):
        collect("bash", tmp_path)


def test_a_reason_that_quotes_its_request_is_refused(tmp_path: Path, published_data: Path) -> None:
    episode = next(each for each in chosen("bash") if len(each.recorded.query.split()) > 12)
    put(tmp_path, "A", {"id": episode.id, "label": "done", "reason": f"does this: {episode.recorded.query}"})
    with pytest.raises(ValueError, match="quotes the request"):
        collect("bash", tmp_path)


def test_stored_labels_belong_to_chosen_episodes_and_quote_nothing(published_data: Path) -> None:
    for world in ("bash", "sql"):
        ids = {each.id for each in chosen(world)}
        for readings in stored(world).by_reader.values():
            assert readings.keys() <= ids
