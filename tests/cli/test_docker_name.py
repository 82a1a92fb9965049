"""Both ways to use containers are called `docker`: who types the second one's old name is told, and its runs show."""

from __future__ import annotations

from pathlib import Path

import stored_runs
from terminal import intercode


def test_the_old_name_is_refused_with_the_new_one(tmp_path: Path) -> None:
    done = intercode("run", "--sandbox", "docker-cli", "--limit", "1", "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "no sandbox called 'docker-cli'" in done.stderr
    assert "Did you mean 'docker'?" in done.stderr


def test_runs_that_were_stored_by_the_old_name_still_show(tmp_path: Path) -> None:
    manifest = stored_runs.manifest()
    manifest["settings"]["sandbox"] = "docker-cli"
    run = stored_runs.write(tmp_path / "run", manifest, stored_runs.episodes())
    for command in ("report", "show"):
        done = intercode(command, str(run))
        assert (done.returncode, done.stderr) == (0, "")
