"""Make docs/pictures/gold.svg: the life of a gold, in the style of architecture.svg."""

from __future__ import annotations

from html import escape
from pathlib import Path

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
PICTURE = PICTURES / "gold.svg"
ABOUT = "The life of a gold: it runs twice, its ending is kept, and the agent's ending is compared with it"

BOXES = (
    ("box", 8, 8, 250, ("data set", "query and gold;", "the agent gets the query only")),
    ("act", 368, 8, 250, ("session of the agent", "actions, one after the other;", "no gold is in it")),
    ("box", 714, 8, 250, ("ending of the agent", "changed files, rows, answer;", "read from outside")),
    ("box", 8, 152, 250, ("the gold runs, first time", "in a fresh session,", "on the same image")),
    ("box", 368, 152, 250, ("and again", "later, in another session, and", "over shuffled folders")),
    ("box", 714, 152, 250, ("ending of the gold", "what differs between the runs", "is not compared")),
    ("box", 8, 296, 250, ("cache", "by image and task; a gold that", "is never the same runs again")),
    ("pay", 714, 296, 250, ("scores", "exact and paper, each 0 to 1,", "with notes on what differs")),
)
"""Class, left, top and width of each, and its lines; all are as high as `HEIGHT`."""

HEIGHT = 92
LINES = (
    ("M259 54h107", 313, 46, "middle", "query"),
    ("M619 54h93", 666, 46, "middle", "submit"),
    ("M133 101v49", 141, 130, "start", "gold"),
    ("M259 198h107", 313, 190, "middle", ""),
    ("M619 198h93", 666, 190, "middle", ""),
    ("M839 245v49", 847, 274, "start", "compared"),
    ("M714 245 261 330", 470, 280, "end", "kept for other episodes"),
    ("M964 54h22v288h-19", 0, 0, "middle", ""),
)
"""Path, then place, anchor and text of its label."""


def draw() -> str:
    """Return the picture, as SVG that follows the reader's light or dark colours."""
    architecture = (PICTURES / "architecture.svg").read_text(encoding="utf-8")
    style, tip = architecture[architecture.index("<style>") :].split("</defs>")[0].split("<defs>")
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 996 396" role="img" aria-label="{escape(ABOUT)}">'
    parts = [head, f"{style.strip()}\n<defs>{tip}</defs>"]
    for kind, left, top, width, lines in BOXES:
        parts.append(f'<rect class="{kind}" x="{left}" y="{top}" width="{width}" height="{HEIGHT}" rx="8"/>')
        parts += [_text(left + width // 2, top + 30 + 20 * at, line, at) for at, line in enumerate(lines)]
    for path, x, y, anchor, label in LINES:
        parts.append(f'<path class="line" d="{path}" marker-end="url(#tip)"/>')
        if label:
            parts.append(f'<text x="{x}" y="{y}" class="note" text-anchor="{anchor}">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _text(x: int, y: int, line: str, at: int) -> str:
    return f'<text x="{x}" y="{y}" class="{"note" if at else "title"}" text-anchor="middle">{escape(line)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
    print(PICTURE)
