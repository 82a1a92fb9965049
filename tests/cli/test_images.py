"""`intercode images`: what is kept is listed, built, removed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from terminal import intercode


def layers_in(cache: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(intercode("images", "list", "--json", INTERCODE_CACHE=str(cache)).stdout)
    return found


def test_an_image_is_built_listed_and_removed(tmp_path: Path) -> None:
    done = intercode("images", "build", "host", INTERCODE_CACHE=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "building this machine's /usr" in done.stderr
    assert "use it: intercode run --image host" in done.stdout
    (layer,) = layers_in(tmp_path)
    assert layer["recipe"] == "this machine's /usr with a made-up /etc"
    table = intercode("images", "list", INTERCODE_CACHE=str(tmp_path)).stdout
    assert layer["key"][:12] in table
    assert "1 layer" in table
    removed = intercode("images", "remove", layer["key"][:12], INTERCODE_CACHE=str(tmp_path))
    assert removed.returncode == 0, removed.stderr
    assert layers_in(tmp_path) == []


def test_a_build_says_where_the_layers_are(tmp_path: Path) -> None:
    done = json.loads(intercode("images", "build", "host", "--json", INTERCODE_CACHE=str(tmp_path)).stdout)
    assert Path(done["layers"][0], "etc/hosts").is_file()


def test_all_that_nobody_uses_is_pruned(tmp_path: Path) -> None:
    intercode("images", "build", "host", INTERCODE_CACHE=str(tmp_path))
    left = tmp_path / "layers" / "key.partial-dead"
    left.mkdir()
    done = intercode("images", "prune", INTERCODE_CACHE=str(tmp_path))
    assert "are free again" in done.stdout
    assert layers_in(tmp_path) == []
    assert not left.exists()
    assert "nothing to remove" in intercode("images", "prune", INTERCODE_CACHE=str(tmp_path)).stdout


def test_an_empty_cache_names_the_next_command(tmp_path: Path) -> None:
    assert "intercode images build" in intercode("images", "list", INTERCODE_CACHE=str(tmp_path)).stdout


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    done = intercode("images", "remove", "abc", INTERCODE_CACHE=str(tmp_path))
    assert (done.returncode, "'abc'" in done.stderr, "intercode images list" in done.stderr) == (2, True, True)
    assert intercode("images", "build", "no-such-image").returncode == 2
