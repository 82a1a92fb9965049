"""Build the documentation site from zensical.toml and docs/, with newcomers' questions in its search.

The search weighs titles most, and finds a section only by words that all stand in it. A question of zensical.toml is
therefore one more section of the page that answers it: its title is the question, its text are the page's first
paragraphs and headings.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "zensical.toml"
MADE_CONFIG = ROOT / ".zensical.toml"
PROGRAM = ROOT / ".venv" / "site" / "bin" / "zensical"
SITE = "build/site"

Section = dict[str, Any]


def main() -> None:
    """See `--help`."""
    parser = argparse.ArgumentParser(description="Build the documentation site; a broken link is an error.")
    parser.add_argument("--into", default=SITE, help="the site's folder, from the repository's root")
    parser.add_argument("--repo-url", default="", help="where the source is: the pages link to it, and to their edits")
    chosen = parser.parse_args()
    build(chosen.into, chosen.repo_url)


def build(into: str = SITE, repo_url: str = "") -> None:
    """Build the site in the folder *into*, for a source at *repo_url*."""
    config = CONFIG.read_text(encoding="utf-8").replace(f'site_dir = "{SITE}"', f"site_dir = {json.dumps(into)}")
    if repo_url:
        config = config.replace("[project]\n", f"[project]\nrepo_url = {json.dumps(repo_url)}\n", 1)
    MADE_CONFIG.write_text(config, encoding="utf-8")
    try:
        command = [str(PROGRAM), "build", "--strict", "--clean", "--config-file", str(MADE_CONFIG)]
        if status := subprocess.run(command, cwd=ROOT, check=False).returncode:
            raise SystemExit(status)
    finally:
        MADE_CONFIG.unlink()
    questions = tomllib.loads(config)["project"]["extra"]["questions"]
    file = ROOT / into / "search.json"
    index = json.loads(file.read_text(encoding="utf-8"))
    index["items"] += make_sections(questions, index["items"])
    file.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")


def make_sections(questions: Mapping[str, Sequence[str]], sections: Sequence[Section]) -> Iterator[Section]:
    """Yield a section for each question; *questions* has them by their page, a file in docs/."""
    for file, titles in questions.items():
        page = file.removesuffix(".md") + ".html"
        inside = [section for section in sections if section["location"].partition("#")[0] == page]
        if not inside:
            raise SystemExit(f"zensical.toml has questions for {file}: the site has no such page")
        headings = ". ".join(section["title"] for section in inside)
        found = {**inside[0], "path": inside[0]["path"][-1:], "text": f"{inside[0]['text']}<p>{headings}</p>"}
        yield from ({**found, "title": escape(title)} for title in titles)


if __name__ == "__main__":
    main()
