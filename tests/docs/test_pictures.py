"""The pictures that scripts draw are those of today."""

from __future__ import annotations

import runpy
from pathlib import Path
from xml.etree import ElementTree

SCRIPTS = Path(__file__).parents[2] / "scripts"


def test_the_life_of_a_gold_is_drawn_by_its_script() -> None:
    made = runpy.run_path(str(SCRIPTS / "gold_picture.py"))
    text = made["PICTURE"].read_text(encoding="utf-8")
    assert text == made["draw"](), "run scripts/gold_picture.py"
    _, _, width, height = map(float, ElementTree.fromstring(text).attrib["viewBox"].split())
    assert all(0 <= left < left + wide <= width for _, left, _, wide, _ in made["BOXES"])
    assert all(0 <= top < top + made["HEIGHT"] <= height for _, _, top, _, _ in made["BOXES"])


def test_the_picture_of_a_run_is_full_from_its_first_frame() -> None:
    drawn = ElementTree.parse(SCRIPTS.parent / "docs/pictures/run.svg").getroot()
    svg = "{http://www.w3.org/2000/svg}"
    frames = [frame for frame in drawn.iter(f"{svg}g") if frame.find(f"{svg}animate") is not None]
    lines = [len(frame.findall(f"{svg}use")) for frame in frames]
    assert [frame.attrib["display"] for frame in frames] == ["inline"] + ["none"] * (len(frames) - 1)
    assert len(frames) > 3
    assert lines[0] == max(lines)
    assert min(lines) > 1, "a frame with nothing but the command"
