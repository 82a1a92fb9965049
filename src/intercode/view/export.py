"""The page with its data in one file, which opens from a disk and asks nobody for anything."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import permutations
from pathlib import Path
from typing import Any

from intercode.errors import MachineError, UserError
from intercode.report.comparison import compare_runs
from intercode.runs.episode_record import key_of
from intercode.types import Trajectory, shown_rewards
from intercode.view import notes, rows
from intercode.view.changes import ChangeService
from intercode.view.commands import commands
from intercode.view.encoding import decode, encode
from intercode.view.index import RunIndex
from intercode.view.library import RunLibrary
from intercode_sandbox.util.text import pluralize

PARTS = ("thoughts", "prompts", "observations")
"""What can be left out of every episode."""

POLICY = "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data:; base-uri 'none'"

REDACTED = "[left out of this file]"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What goes into the file. *redact* are names of `PARTS`; `largest` is in bytes, `program` what commands call."""

    redact: Collection[str] = ()
    only_failed: bool = False
    largest: int = 50_000_000
    program: str = "intercode"

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.redact) - set(PARTS)):
            raise UserError(f"--redact {', '.join(unknown)}: what can be left out is {', '.join(PARTS)}")


@dataclass
class PageExport:
    """The runs in *library* as one file. With *service* also what each turn changed; *say* hears how far it is."""

    library: RunLibrary
    options: ExportOptions = field(default_factory=ExportOptions)
    service: ChangeService | None = None
    say: Callable[[str], None] = lambda line: None

    def write(self, path: Path) -> str:
        """Write it, and return what was written.

        Raises:
            UserError: If it would be too large.
            MachineError: If it cannot be written.
        """
        page = self.page()
        if len(page) > self.options.largest:
            raise UserError(self._too_large(len(page)))
        try:
            path.write_bytes(page)
        except OSError as error:
            raise MachineError(f"cannot write {path}: {error.strerror}; name another file") from error
        return f"{path}: {pluralize(self._count, 'episode')}, {len(page) / 1e6:.1f} MB"

    def page(self) -> bytes:
        """Return the whole file."""
        episodes = list(self._episodes())
        places = {json.dumps(key, ensure_ascii=False, separators=(",", ":")): n for n, (key, _) in enumerate(episodes)}
        index = {
            "runs": [self._run(name) for name in self.library.runs],
            "places": places,
            "comparisons": self._comparisons(),
            "left_out": self._remark(),
        }
        data = [_element("data", index), *(_element(f"episode-{n}", each) for n, (_, each) in enumerate(episodes))]
        self._sizes = {"episodes": sum(map(len, data[1:])), "the table and the rest": len(data[0])}
        return _document("\n".join(data))

    @property
    def _count(self) -> int:
        return sum(len(self._select_episodes(name)) for name in self.library.runs)

    def _select_episodes(self, name: str) -> list[Trajectory]:
        index = self.library.runs[name]
        return [each for each in index.outlines().episodes if not self.options.only_failed or _is_failure(each, index)]

    def _episodes(self) -> Iterator[tuple[list[Any], Json]]:
        for name in self.library.runs:
            index, episodes = self.library.find(name), self._select_episodes(name)
            for number, outline in enumerate(episodes, 1):
                key = key_of(outline)
                found: Json = {
                    "episode": self._redact(decode(index.line(key))),
                    "commands": commands(index.folder, index.manifest, key, self.options.program),
                }
                if self.service is not None:
                    self.say(f"{name}: episode {number} of {len(episodes)}")
                    found |= self.service.changes(index, key)
                yield [name, *key], found

    def _run(self, name: str) -> Json:
        index = self.library.find(name)
        about = self.library.figures(name) | {"activity": None}
        leading = self.library.runs[name].manifest.leading_reward
        rows_shown = [rows.as_row(each, leading) for each in self._select_episodes(name)]
        manifest = index.manifest
        return {
            "about": {**about, "name": name, "started_at": manifest.started_at, "problems": list(index.problems)},
            "table": {
                "generation": "",
                "count": len(rows_shown),
                "columns": rows.COLUMNS,
                "rows": rows_shown,
                "activity": None,
            },
            "notes": notes.plain(notes.read(index.folder)),
        }

    def _comparisons(self) -> Json:
        """Return every pair of runs that have a task in common, both ways and under each reward that is shown."""
        return {
            json.dumps([a, b], ensure_ascii=False, separators=(",", ":")): found
            for a, b in permutations(self.library.runs, 2)
            if (found := {each: data for each in self._rewards_of(a) if (data := self._comparison(a, b, each))})
        }

    def _rewards_of(self, run: str) -> list[str]:
        return shown_rewards(self.library.runs[run].manifest.leading_reward)

    def _comparison(self, a: str, b: str, scoring: str) -> Json:
        with suppress(UserError):
            found = compare_runs(self.library.runs[a].outlines(), self.library.runs[b].outlines(), scoring)
            pairs = [[pair.task, *pair.rates, *pair.rewards] for pair in found.pairs]
            return {**found.to_json(), "scoring": scoring, "pairs": pairs}
        return {}

    def _redact(self, episode: Json) -> Json:
        for turn in episode.get("turns", ()):
            if "thoughts" in self.options.redact:
                turn["thought"] = REDACTED if turn.get("thought") else ""
            if {"prompts", "thoughts"} & set(self.options.redact):
                turn["calls"] = [self._redact_call(call) for call in turn.get("calls", ())]
            if "observations" in self.options.redact:
                turn["observation"] = {**turn["observation"], "text": REDACTED}
                turn["trials"] = []
                turn["calls"] = [self._redact_call(call, prompts=True) for call in turn.get("calls", ())]
        return episode

    def _redact_call(self, call: Json, *, prompts: bool = False) -> Json:
        """Return a model's call without what it was told, and without what it said where thoughts are to go."""
        reply = {**call["reply"], "raw": {}, "tokens": None}
        if "thoughts" in self.options.redact:
            reply |= {"text": REDACTED, "reasoning": ""}
        if prompts or "prompts" in self.options.redact or "thoughts" in self.options.redact:
            return {**call, "kept": 0, "sent": [{"role": "user", "text": REDACTED}], "tools": [], "reply": reply}
        return {**call, "reply": reply}

    def _remark(self) -> str:
        said = [f"without {', '.join(self.options.redact)}"] if self.options.redact else []
        if self.options.only_failed:
            said.append("only episodes without success")
        return f"This file was written {' and '.join(said)}." if said else ""

    def _too_large(self, size: int) -> str:
        parts = ", ".join(f"{name} {each / 1e6:.1f} MB" for name, each in self._sizes.items())
        return (
            f"the file would be {size / 1e6:.1f} MB ({parts}); the limit is {self.options.largest / 1e6:.0f}. Leave "
            f"something out with --redact {','.join(PARTS)} or --failed, name fewer runs, or raise --max-size"
        )


def _is_failure(episode: Trajectory, index: RunIndex) -> bool:
    scoring: str = index.manifest.leading_reward
    return not (episode.is_complete and episode.success(scoring))


def _element(name: str, data: Any) -> str:
    """Return *data* in an element that no browser runs. In base64 nothing of it can end the element."""
    packed = base64.b64encode(gzip.compress(encode(data), 6, mtime=0)).decode()
    return f'<script type="text/plain" id="{name}">{packed}</script>'


def _document(data: str) -> bytes:
    static = files("intercode.view").joinpath("static")
    page, script, style = (static.joinpath(name).read_text("utf-8") for name in ("index.html", "app.js", "app.css"))
    script = script.replace("</script", "<\\/script")
    policy = POLICY.format(script=_sum(script), style=_sum(style))
    page = page.replace("<title>", f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<title>', 1)
    page = page.replace('<link rel="stylesheet" href="app.css">', f"<style>{style}</style>")
    return page.replace('<script src="app.js"></script>', f"{data}\n<script>{script}</script>").encode()


def _sum(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
