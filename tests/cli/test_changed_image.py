"""An image that is another than when a run was made: resuming, comparing and replaying say so, and go on."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from terminal import intercode

OLD = "0123456789abcdef"


@pytest.fixture
def older(finished: Path, tmp_path: Path) -> Path:
    """The same run as if it had been made before the machine's programs changed, its last episode not played yet."""
    run = shutil.copytree(finished, tmp_path / "older")
    manifest = run / "manifest.json"
    (digest,) = json.loads(manifest.read_text())["images"].values()
    for file in (manifest, run / "episodes.jsonl"):
        file.write_text(file.read_text().replace(digest, OLD))
    return run


def without_last(run: Path) -> None:
    lines = (run / "episodes.jsonl").read_text().splitlines(keepends=True)
    (run / "episodes.jsonl").write_text("".join(lines[:-1]))


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def test_a_run_goes_on_where_the_changed_image_is_accepted_and_is_marked(older: Path) -> None:
    without_last(older)
    refused = intercode("run", "--resume", "--out", older)
    assert refused.returncode == 2
    assert f"the image host+starter changed since {older} was last played. Resume with --accept-changed-image" in (
        refused.stderr
    )
    gone_on = intercode("run", "--resume", "--out", older, "--accept-changed-image")
    assert gone_on.returncode == 0, gone_on.stderr
    mark = "the image changed between its episodes: host+starter (2 versions)"
    assert mark in in_one_line(gone_on.stdout)
    manifest = json.loads((older / "manifest.json").read_text())
    assert manifest["former_images"] == {"host+starter": [OLD]}
    images = re.findall(r'"image":"([^"]+)"', (older / "episodes.jsonl").read_text())
    assert sorted(image.endswith(OLD) for image in images) == [False, True, True]
    for command in ("report", "show"):
        assert mark in in_one_line(intercode(command, older).stdout), command
    assert json.loads(intercode("report", older, "--json").stdout)[0]["former_images"] == manifest["former_images"]
    assert intercode("run", "--resume", "--out", older).returncode == 0  # by now it knows this image


def test_runs_on_different_images_are_compared_with_a_warning(older: Path, finished: Path) -> None:
    output = in_one_line(intercode("compare", finished, older).stdout)
    assert "the same tasks were played on different images, and a difference may be theirs: " in output
    assert f"{older} on host+starter@{OLD}" in output
    assert OLD in json.loads(intercode("compare", finished, older, "--json").stdout)["warning"]
    assert "different images" not in intercode("compare", finished, finished).stdout


def test_a_replay_on_another_image_says_so_once_and_counts_what_agrees(older: Path) -> None:
    done = intercode("replay", older)
    assert done.returncode == 0
    assert "3 of 3 done, 3 agree" in done.stderr
    assert done.stdout.count(OLD) == 1
    assert f"older: 3 of 3 episodes were played on another image (host+starter@{OLD} then, " in in_one_line(done.stdout)
    assert "everything agrees" in done.stdout


def test_a_certificate_is_of_one_image_and_says_so(older: Path) -> None:
    done = intercode("replay", older, "--verify")
    assert done.returncode == 1
    output = in_one_line(done.stdout)
    assert "not certified: 6 same" in output
    assert "3 of 3 episodes were played on another image" in output
    assert "everything agrees" not in output
