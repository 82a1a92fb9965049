"""Recorded capture the flag: read, and played again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recordings import try_again, write

from intercode.audit.replay.comparison import Comparison, agreement
from intercode.audit.replay.published.picoctf import WRONG
from intercode.audit.replay.published.recordings import read
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions
from intercode.worlds.bash.scoring.paper_quoting import bare_ctf_command, recorded_ctf_command

RIGHT = "The submitted flag is correct."


def of_ctf(number: int, *turns: tuple[str, str, float]) -> dict[str, object]:
    return try_again(number, turns) | {"environment": "ic_ctf", "dataset": "./data/ctf/ic_ctf.json"}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small set in the published form, where published data is looked for."""
    assets = tmp_path / "data" / "ctf" / "task_assets" / "3"
    assets.mkdir(parents=True)
    (assets / "note.txt").write_text("toy{a b}\n")
    tasks = [
        {"task_id": 3, "query": "Read.", "gold": "toy{Read}"},
        {"task_id": 9, "query": "Gone.", "gold": "toy{gone}"},
        {"task_id": 33, "query": "Nothing is here.", "gold": "toy{x}"},
    ]
    (tmp_path / "data" / "ctf" / "ic_ctf.json").write_text(json.dumps(tasks))
    monkeypatch.setenv("INTERCODE_DATA", str(tmp_path / "data"))
    return tmp_path


def replayed(path: Path) -> Comparison:
    (compared,) = replay([path], ReplayOptions(image="host"))
    return compared


def test_only_what_is_handed_in_is_judged(tmp_path: Path) -> None:
    turns = (("cmd ls", "note.txt\n", 0), ("submit toy{no}", WRONG, 0), ("skip", "skipped", 0))
    recording = read(write(tmp_path / "a.json", of_ctf(3, *turns)))
    (episode,) = recording.episodes
    assert (recording.world, episode.task) == ("ctf", "ctf/3")
    assert [(turn.kind, turn.code, turn.judged) for turn in episode.turns] == [
        ("run", "ls", False),
        ("submit", "submit toy{no}", True),
        ("skip", "skip", False),
    ]


def test_first_recordings_ran_without_a_shell() -> None:
    found = bare_ctf_command("/bin/bash -c \"echo 'a  b' | cat\"", "/ctf/3")
    assert found is not None
    assert found.argv == ("/bin/bash", "-c", "echo 'a  b' | cat")
    assert bare_ctf_command("echo 'a", "/ctf/3") is None
    assert bare_ctf_command("a\0b", "/") is None


def test_later_recordings_ran_in_double_quotes_but_for_python() -> None:
    found = recorded_ctf_command('echo "obase=2;42" | bc', "/ctf/3")
    assert found is not None
    assert found.argv == ("/bin/bash", "-c", "echo obase=2;42 | bc")
    python = recorded_ctf_command("python3 -c 'print(\"a\")'", "/ctf/3")
    assert python is not None
    assert python.argv == ("python3", "-c", 'print("a")')


def test_an_episode_of_the_first_harness_agrees(data: Path) -> None:
    turns = (
        ("cmd ls", "note.txt\n", 0),
        ('cmd /bin/bash -c "cat note.txt | tr a-z A-Z"', "TOY{A B}\n", 0),
        ("cmd cat note.txt | tr a-z A-Z", "cat: '|': No such file or directory\n", 0),
        ("submit toy{wrong}", WRONG, 0),
        ("submit TOY{read}", RIGHT, 1),
    )
    compared = replayed(write(data / "a.json.gz", of_ctf(3, *turns)))
    (episode,) = compared.episodes
    assert (episode.error, episode.success and episode.success.now) == ("", True)
    assert [turn.observation_agrees for turn in episode.turns] == [True, True, False, True, True]
    assert all(turn.reward_agrees for turn in episode.turns)


def test_an_episode_of_the_second_harness_agrees(data: Path) -> None:
    """A right flag shows the last observation again."""
    turns = (
        ("cat note.txt | tr a-z A-Z", "TOY{A B}\n", 0),
        ('echo "a  b"', "a\n", 0),
        ("I'm sorry, but I can't.", "/bin/bash: line 1: Im sorry, but I cant.: command not found\n", 0),
        ("submit toy{Read}", "/bin/bash: line 1: Im sorry, but I cant.: command not found\n", 1),
    )
    (episode,) = replayed(write(data / "a.json", of_ctf(3, *turns))).episodes
    assert [turn.observation_agrees for turn in episode.turns] == [True, True, True, True]
    assert episode.success is not None
    assert (episode.success.then, episode.success.now) == (True, True)


def test_a_flag_that_was_taken_then_and_is_not_now_shows(data: Path) -> None:
    (episode,) = replayed(write(data / "a.json", of_ctf(3, ("submit toy{other}", "x", 1)))).episodes
    assert (episode.turns[0].reward_agrees, episode.turns[0].differs) == (False, True)


def test_tasks_that_count_no_more_count_in_recordings(data: Path) -> None:
    (episode,) = replayed(write(data / "a.json", of_ctf(9, ("submit toy{gone}", "", 1)))).episodes
    assert episode.turns[0].reward_agrees


def test_a_task_whose_files_are_missing_is_an_error(data: Path) -> None:
    (episode,) = replayed(write(data / "a.json", of_ctf(33, ("ls", "", 0)))).episodes
    assert "task_assets/33 is missing" in episode.error


def test_the_published_recording_agrees_where_its_files_are(published_data: Path) -> None:
    """Rewards of all turns; two of the four tasks have their files beside the recordings."""
    files = sorted((published_data / "recorded" / "ctf").glob("*.json.gz"))
    if not files:
        pytest.skip(f"there are no recordings of this world in {published_data}")
    compared = replay(files, ReplayOptions(image="host", tasks=("ctf/2", "ctf/3")))
    found = agreement(episode for each in compared for episode in each.episodes)
    assert (found.errors, found.rewards.agreeing, found.turns) == (0, found.rewards.of, 20)
    assert found.observations.agreeing >= 16
