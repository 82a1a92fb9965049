"""What each turn changed is found by playing it again, in every kind of world, and the gold's ending beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from intercode.audit.replay.turn_changes import ChangeReplayer, EpisodeChanges, TurnChange, to_json
from intercode.errors import UnsafeError
from intercode.runs.job import prepare
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore, StoredRun, read


def played(folder: Path, dataset: str, task: str, *moves: str, **settings: str) -> StoredRun:
    """A run of one task, played as *moves* say."""
    script = folder / "script.json"
    script.write_text(json.dumps({"moves": {task: list(moves)}}))
    wanted = Settings(dataset=dataset, agent="scripted", agent_options={"script": str(script)}, tasks=(task,))
    with prepare(wanted.changed(**settings)) as job, RunStore.create(folder / "run", job.manifest) as store:
        Runner(job, store).run()
    return read(folder / "run")


def changes(run: StoredRun) -> EpisodeChanges:
    replayer = ChangeReplayer(run.path, run.manifest)
    try:
        return replayer.play(run.episodes[0])
    finally:
        replayer.close()


def brief(found: tuple[TurnChange, ...]) -> list[tuple[str, str]]:
    return [(each.kind, each.name) for each in found]


def test_files_and_the_working_directory(tmp_path: Path) -> None:
    moves = (
        "cat /shop/config/shop.conf",
        "cd /shop && echo new > note.txt",
        "echo more >> note.txt; chmod 600 config/shop.conf",
        "rm note.txt; printf '\\377' > bytes",
        "submit",
    )
    found = changes(played(tmp_path, "starter", "starter/bash/show-port", *moves))
    assert all(turn.agrees for turn in found.turns)
    assert found.turns[0].changes == ()
    assert brief(found.turns[1].changes) == [("file", "/shop/note.txt"), ("shell", "working directory")]
    added = found.turns[1].changes[0]
    assert added.before is None
    assert added.after is not None
    assert added.after.text == "new\n"
    by_name = {each.name: each for each in found.turns[2].changes}
    grown, other = by_name["/shop/note.txt"], by_name["/shop/config/shop.conf"]
    assert grown.before is not None
    assert grown.after is not None
    assert (grown.before.text, grown.after.text) == ("new\n", "new\nmore\n")
    assert other.before is not None
    assert other.after is not None
    assert other.before.text == other.after.text
    assert "mode 600" in other.after.about
    gone = {each.name: each for each in found.turns[3].changes}
    assert gone["/shop/note.txt"].after is None
    assert gone["/shop/bytes"].after is not None
    assert gone["/shop/bytes"].after.text is None
    assert "no text" in gone["/shop/bytes"].after.about
    assert found.agent is not None
    assert ("file", "/shop/bytes") in brief(found.agent.changes)
    (gold,) = found.golds
    assert gold.changes == ()
    assert gold.observation.text.strip()


def test_rows_and_schema(tmp_path: Path) -> None:
    moves = (
        "INSERT INTO customers SELECT * FROM customers WHERE 1 = 0",
        "CREATE TABLE notes (id INT, text VARCHAR(20))",
        "INSERT INTO notes VALUES (1, 'first')",
        "DROP TABLE notes",
        "submit",
    )
    run = played(tmp_path, "starter-sql", "starter-sql/no-email", *moves, database="sqlite")
    found = changes(run)
    assert brief(found.turns[1].changes) == [("table", "notes")]
    (row,) = found.turns[2].changes
    assert row.after is not None
    assert "(1, 'first')" in (row.after.text or "")
    assert found.turns[3].changes[0].after is None
    assert all(turn.agrees for turn in found.turns)


def test_variables(tmp_path: Path) -> None:
    moves = ("x = [1, 2]", "x.append(3)", "def f(a):\n    return a", "del x", "submit f")
    found = changes(played(tmp_path, "starter-python", "starter-python/caesar", *moves))
    assert all(turn.agrees for turn in found.turns)
    (first,), (second,), (third,), (fourth,) = (turn.changes for turn in found.turns[:4])
    assert (first.kind, first.name, first.before) == ("variable", "x", None)
    assert second.after is not None
    assert second.after.text == "[1, 2, 3]"
    assert third.after is not None
    assert third.after.text == "defined in <action 3>, line 1"
    assert (fourth.name, fourth.after) == ("x", None)


def test_code_that_lies_about_its_variables_breaks_nothing(tmp_path: Path) -> None:
    moves = ("import json\njson.dumps = lambda *a, **k: 'no'", "x = 1", "submit caesar")
    found = changes(played(tmp_path, "starter-python", "starter-python/caesar", *moves))
    assert found.error == ""
    assert len(found.turns) == 3


def test_a_session_that_is_broken_is_said_to_be(tmp_path: Path) -> None:
    found = changes(played(tmp_path, "starter", "starter/bash/show-port", "true", "skip"))
    assert [turn.number for turn in found.turns] == [1, 2]
    assert to_json(found)["turns"][0]["number"] == 1


def test_a_run_in_no_sandbox_is_not_played_again_without_leave(tmp_path: Path) -> None:
    run = played(tmp_path, "starter", "starter/bash/show-port", "true", "submit")
    manifest = run.manifest
    (tmp_path / "reward.py").write_text("")
    evil = tmp_path / "evil.py"
    evil.write_text("raise SystemExit('it ran')")
    with pytest.raises(UnsafeError, match="would run on this machine"):
        ChangeReplayer(run.path, replace(manifest, settings=manifest.settings.changed(world=str(evil))))
