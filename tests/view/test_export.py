"""One file holds the page and its data, asks nobody for anything, and leaves out what it is told to."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from made_runs import episode, turn, write

from intercode.errors import UserError
from intercode.view.export import ExportOptions, PageExport
from intercode.view.library import RunLibrary


def exported(runs: Path, **options: Any) -> str:
    return PageExport(RunLibrary.open([runs]), ExportOptions(**options)).page().decode()


def data(page: str, name: str) -> Any:
    found = re.search(rf'<script type="text/plain" id="{name}">([^<]*)</script>', page)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def everything(page: str) -> str:
    places = data(page, "data")["places"].values()
    return json.dumps([data(page, "data"), *(data(page, f"episode-{place}") for place in places)])


def test_every_episode_is_in_it(runs: Path) -> None:
    page = exported(runs)
    assert len(data(page, "data")["places"]) == 18
    assert '"gold\\n"' in everything(page)


def test_only_failures(runs: Path) -> None:
    places = data(exported(runs, only_failed=True), "data")["places"]
    assert '["first","toy/lost",0]' in places
    assert '["first","toy/won",0]' not in places


@pytest.mark.parametrize(
    ("what", "text"),
    [("thoughts", "thought 1"), ("thoughts", "I count"), ("prompts", "count them"), ("observations", "gold\\n")],
)
def test_what_is_to_be_left_out_is_nowhere(runs: Path, what: str, text: str) -> None:
    assert text in everything(exported(runs)).replace("\\\\", "\\")
    assert text not in everything(exported(runs, redact=[what])).replace("\\\\", "\\")


def test_a_file_that_would_be_too_large_says_what_to_leave_out(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"the limit is 0. Leave something out with --redact thoughts,prompts,observations"
    ):
        PageExport(RunLibrary.open([runs]), ExportOptions(largest=1000)).write(tmp_path / "run.html")
    assert not (tmp_path / "run.html").exists()


def test_unknown_parts_are_refused() -> None:
    with pytest.raises(UserError, match="what can be left out is thoughts, prompts, observations"):
        ExportOptions(redact=["everything"])


def test_no_data_can_end_the_element_that_it_is_in(tmp_path: Path) -> None:
    text = "</script><script>alert(1)</script><!--"
    page = exported(write(tmp_path / "run", [episode("toy/" + text, turn(text, text), query=text)]))
    assert "alert(1)" not in page
    assert page.count("</script>") == 3


def test_two_runs_can_be_compared_in_it(runs: Path) -> None:
    found = data(exported(runs), "data")["comparisons"]
    assert found['["first","second"]']["exact"]["lost"] == ["toy/won"]


def test_its_policy_allows_its_own_script_alone(runs: Path) -> None:
    page = exported(runs)
    assert re.search(r"default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'", page)


def test_it_names_the_same_episodes_twice(runs: Path) -> None:
    assert exported(runs) == exported(runs)
