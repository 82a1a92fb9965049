"""`intercode replay --verify`: a run is certified, and no episode of which a single stored thing is not what it was."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from terminal import intercode

from intercode.audit.replay.certificate import certify
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions
from intercode.errors import BadDataError

Episode = dict[str, Any]

TASK = "starter/bash/list-confs"
MOVES = ["pwd", "false; touch /made", "submit"]


def turn(number: int, **values: Any) -> Callable[[Episode], object]:
    return lambda episode: episode["turns"][number].update(values)


def seen(**values: Any) -> Callable[[Episode], object]:
    return lambda episode: episode["turns"][1]["observation"].update(values)


def score(**values: Any) -> Callable[[Episode], object]:
    return lambda episode: episode["turns"][-1]["scores"]["exact"].update(values)


FORGED: dict[str, tuple[Callable[[Episode], object], str]] = {
    "what was seen": (seen(text="all is well\n"), "turn 2: another observation"),
    "an exit code": (seen(exit_code=1), "turn 2: exit code was 1, is now 0"),
    "a time-out": (seen(timed_out=True), "turn 2: time-out was True, is now False"),
    "a cut": (seen(truncated=True), "turn 2: truncation was True, is now False"),
    "a state": (turn(1, state_hash="0" * 16), "turn 2: state was 0000000000000000, is now"),
    "a reward": (turn(0, reward=0.5), "turn 1: reward was 0.5, is now 0.0"),
    "a score, a little": (score(value=0.001), "turn 3: exact score was 0.001, is now 0.0"),
    "a score's success": (score(success=True), "turn 3: exact success was True, is now False"),
    "a score's part": (score(parts={"answer": 1.0}), "turn 3: exact answer was 1.0, is now 0.0"),
    "scores that are gone": (turn(2, scores=None), "turn 3: paper score was None, is now"),
    "the final success": (
        lambda episode: episode["scores"]["exact"].update(success=True),
        "exact success was True, is now False",
    ),
    "the ending": (lambda episode: episode.update(status="truncated"), "ending was truncated, is now submitted"),
    "a turn dropped": (lambda episode: episode["turns"].pop(), "ending was submitted, is now goes on"),
    "a turn dropped before": (lambda episode: episode["turns"].pop(1), "turn 2: paper"),
    "a turn more": (lambda episode: episode["turns"].append(episode["turns"][-1]), "ended after turn 3 of 4"),
    "the order of turns": (lambda episode: episode["turns"].reverse(), "ended after turn 1 of 3"),
    "an action": (turn(1, action={"kind": "execute", "text": "true"}), "turn 2: state was"),
    "the query": (lambda episode: episode["task"].update(query="Do nothing."), "query was Do nothing., is now"),
    "the image": (lambda episode: episode.update(image="mine@1"), "image was mine@1, is now"),
    "the seed": (lambda episode: episode.update(seed=1), "seed was 1, is now"),
}
"""What is done to a stored episode, and what its certificate says then."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One episode for each forgery, and one more."""
    folder = tmp_path_factory.mktemp("certified")
    (folder / "script.json").write_text(json.dumps({"moves": {TASK: MOVES}}))
    chosen = ["--agent", "scripted", "--agent-option", "script=script.json", "--tasks", "list-confs"]
    done = intercode("run", *chosen, "--repeat", str(len(FORGED) + 1), "--scoring", "exact", "--out", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "run"


def changed(run: Path, change: Callable[[list[Episode]], object]) -> None:
    file = run / "episodes.jsonl"
    episodes = sorted(map(json.loads, file.read_text().splitlines()), key=lambda episode: int(episode["repeat"]))
    change(episodes)
    file.write_text("".join(json.dumps(each) + "\n" for each in episodes))


def test_no_episode_that_was_changed_anywhere_is_certified(run: Path, tmp_path: Path) -> None:
    forged = shutil.copytree(run, tmp_path / "forged")
    changed(forged, lambda episodes: [forge(each) for each, (forge, _) in zip(episodes, FORGED.values(), strict=False)])
    done = intercode("replay", forged, "--verify", "--json")
    assert done.returncode == 1
    (certificate,) = json.loads(done.stdout)["certificates"]
    assert not certificate["certified"]
    by_repeat = {each["repeat"]: each["differs"] for each in certificate["episodes"]}
    for repeat, (name, (_, message)) in enumerate(FORGED.items()):
        assert any(each.startswith(message) for each in by_repeat[repeat]), (name, by_repeat[repeat])
    assert by_repeat[len(FORGED)] == [], "the one that nobody has touched"


def test_a_certificate_says_what_it_leaves_out(run: Path, tmp_path: Path) -> None:
    def fewer(episodes: list[Episode]) -> None:
        episodes[0] |= {"status": "error", "error": "SandboxError: gone"}
        del episodes[2:]

    part = shutil.copytree(run, tmp_path / "part")
    changed(part, fewer)
    done = intercode("replay", "part", "--verify", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    missing = len(FORGED) - 1
    assert "certified: 3 same (part/certificate.json); " in done.stdout
    output = " ".join(done.stdout.split())
    assert f"1 episode left out, ended by an error; {missing} episodes left out, not played yet" in output
    about = json.loads((part / "certificate.json").read_text())["run"]
    assert (about["planned"], about["failed"], about["missing"]) == (len(FORGED) + 1, 1, missing)
    assert (about["dataset"], about["scoring"], about["agent"]) == ("starter", "exact", "scripted")


def test_an_episode_that_the_settings_do_not_have_is_refused(run: Path, tmp_path: Path) -> None:
    more = shutil.copytree(run, tmp_path / "more")
    changed(more, lambda episodes: episodes[0].update(repeat=99))
    with pytest.raises(BadDataError, match=f"has repeat 99 of {TASK}: its settings have only 0 to {len(FORGED)}"):
        replay([more], ReplayOptions())


def test_a_run_that_goes_on_meanwhile_is_not_certified(run: Path, tmp_path: Path) -> None:
    growing = shutil.copytree(run, tmp_path / "growing")
    changed(growing, lambda episodes: episodes.__delitem__(slice(1, None)))
    (compared,) = replay([growing], ReplayOptions())
    (growing / "episodes.jsonl").write_bytes((run / "episodes.jsonl").read_bytes())
    certificate = certify(compared)
    assert not certificate.holds
    assert certificate.data["note"] == "the run went on while it was verified: verify it again"
