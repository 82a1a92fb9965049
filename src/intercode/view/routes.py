"""What the page asks: reading, but for notes; and playing an episode again, to see what it changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from math import inf
from threading import Lock
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from intercode.errors import BadDataError, IntercodeError, UserError
from intercode.report.comparison import compare_runs
from intercode.runs import activity, cli_hints
from intercode.runs.episode_record import Key
from intercode.view import notes, rows
from intercode.view.changes import ChangeService
from intercode.view.commands import commands
from intercode.view.encoding import decode, encode, shorten_texts, text_at
from intercode.view.events import EventStream
from intercode.view.index import RunIndex
from intercode.view.library import RunLibrary
from intercode.view.search import FIELDS, search

STATIC = {"": "index.html", "app.js": "app.js", "app.css": "app.css"}
TYPES = {"html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}

AT_FIRST, THEN = 0.05, 0.5
"""Seconds for which a table is read before what there is of it is sent, so that its first rows are seen soon."""

CHUNK = 1 << 20
"""Characters of a long text that are sent at once at most."""


@dataclass
class ViewRoutes:
    """Answers about the runs in *library*, each from the store as it is at that moment."""

    library: RunLibrary
    service: ChangeService
    program: str = "intercode"
    _writing: Lock = field(default_factory=Lock)

    def app(self) -> Starlette:
        """Return all of them."""
        answers: dict[str, Callable[[Request], Any]] = {
            "runs": self.runs,
            "rows": self.rows,
            "task": self.task,
            "episode": self.episode,
            "search": self.search,
            "compare": self.compare,
            "notes": self.notes,
        }
        return Starlette(
            routes=[
                *(Route(f"/{name}", _static(file)) for name, file in STATIC.items()),
                *(Route(f"/api/{name}", _json(answer)) for name, answer in answers.items()),
                Route("/api/text", self.text),
                Route("/api/events", self.events),
                Route("/api/notes", _json(self.write_note, has_body=True), methods=["PUT"]),
                Route("/api/changes", self.changes, methods=["POST"]),
            ]
        )

    def runs(self, request: Request) -> Any:
        """Return all runs, and what could not be read."""
        self.library.refresh()
        found, problems = [], list(self.library.problems.values())
        for name in list(self.library.runs):
            try:
                found.append(self._about(name))
            except BadDataError as error:
                problems.append(str(error))
        return {"runs": found, "problems": problems}

    def _about(self, name: str) -> dict[str, Any]:
        figures = self.library.figures(name)
        index = self.library.runs[name]
        manifest = index.manifest
        return {
            **figures,
            "name": name,
            "started_at": manifest.started_at,
            "machine": dict(manifest.machine),
            "images": dict(manifest.images),
            "world": manifest.settings.world,
            "problems": list(index.problems),
            "resume": cli_hints.resume_command(index.folder, manifest.settings, program=self.program),
        }

    def rows(self, request: Request) -> Any:
        """Return the table of a run's episodes; with `after` only those stored since.

        There may be `more` to ask for.
        """
        after = int(request.query_params.get("after") or 0)
        index = self._index(request, AT_FIRST if after == 0 else THEN)
        count, more = index.count, not index.is_whole
        entries = index.entries_after(after)
        return {
            "generation": index.generation,
            "count": count,
            "more": more,
            "columns": rows.COLUMNS,
            "rows": [rows.as_row(entry.outline, index.manifest.leading_reward) for entry in entries],
            "scoring": index.manifest.leading_reward,
            "activity": activity.read(index.folder),
        }

    def task(self, request: Request) -> Any:
        """Return the rows of one task in every run."""
        task, found = request.query_params.get("task", ""), []
        for name in list(self.library.runs):
            index = self.library.find(name)
            settings = index.manifest.settings
            about = {"run": name, "agent": settings.agent, "model": settings.model}
            played = [rows.as_row(each.outline, index.manifest.leading_reward) for each in index.entries_of(task)]
            found.append({**about, "scoring": index.manifest.leading_reward, "rows": played})
        return {"columns": rows.COLUMNS, "runs": found}

    def episode(self, request: Request) -> Any:
        """Return one episode, its long texts cut."""
        index, key = self._index(request), _key(request)
        found = shorten_texts(decode(index.line(key)))
        said = commands(index.folder, index.manifest, key, self.program)
        options = dict(index.manifest.settings.model_options)
        return {"episode": found, "commands": said, "repeats": index.repeats(key[0]), "model_options": options}

    def text(self, request: Request) -> Response:
        """Return a part of one long text, as text."""
        try:
            episode = decode(self._index(request).line(_key(request)))
            found = text_at(episode, request.query_params.get("path", ""))
            start, end = (int(request.query_params.get(name) or 0) for name in ("from", "to"))
        except (IntercodeError, ValueError) as error:
            return PlainTextResponse(str(error), 404)
        part = found[start : min(end, start + CHUNK)] if end else found[start:]
        return PlainTextResponse(part.encode("utf-8", "replace"))

    def search(self, request: Request) -> Any:
        """Return the episodes that hold a text."""
        place = request.query_params.get("in")
        fields = [name for name in FIELDS if place is None or name in place.split(",")]
        text = request.query_params.get("q", "")
        return {"keys": search(self._index(request), text, fields) if text else []}

    def compare(self, request: Request) -> Any:
        """Return the second run against the first, as `intercode compare` has it."""
        first, second = (self.library.find(request.query_params.get(name, "")) for name in ("a", "b"))
        scoring = _scoring(request) or first.manifest.leading_reward
        found = compare_runs(first.outlines(), second.outlines(), scoring)
        pairs = [[pair.task, *pair.rates, *pair.rewards] for pair in found.pairs]
        return {**found.to_json(), "scoring": scoring, "pairs": pairs}

    def notes(self, request: Request) -> Any:
        """Return what was noted of a run."""
        return {"notes": notes.plain(notes.read(self._index(request).folder))}

    def write_note(self, request: Request, body: bytes) -> Any:
        """Keep a note of one episode."""
        index, (task, repeat) = self._index(request), _key(request)
        with self._writing:
            return {"notes": notes.plain(notes.write(index.folder, f"{task}:{repeat}", body))}

    def changes(self, request: Request) -> Response:
        """Return what each turn changed, line by line of JSON: how far it is, then all of it."""
        try:
            index, key = self._index(request), _key(request)
            index.line(key)
        except IntercodeError as error:
            return PlainTextResponse(str(error), 404)

        def lines() -> Iterator[bytes]:
            for event in self.service.progress(index, key):
                yield encode(event) + b"\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    async def events(self, request: Request) -> Response:
        """Everything new in all runs."""
        stream = EventStream(self.library, request.is_disconnected)
        return StreamingResponse(aiter(stream), media_type="text/event-stream")

    def _index(self, request: Request, seconds: float = inf) -> RunIndex:
        return self.library.find(request.query_params.get("run", ""), seconds)


def _key(request: Request) -> Key:
    try:
        return request.query_params["task"], int(request.query_params.get("repeat") or 0)
    except (KeyError, ValueError) as error:
        raise UserError("an episode is named by its task and its repeat") from error


def _scoring(request: Request) -> str | None:
    return request.query_params.get("scoring") or None


def _json(answer: Callable[..., Any], *, has_body: bool = False) -> Callable[[Request], Any]:
    """Return an endpoint that says what *answer* returns as JSON; an error of ours is told in its words."""

    def respond(request: Request, *body: bytes) -> Response:
        try:
            return Response(encode(answer(request, *body)), media_type="application/json")
        except (IntercodeError, ValueError) as error:
            return Response(encode({"error": str(error)}), 404, media_type="application/json")

    async def respond_to_body(request: Request) -> Response:
        from starlette.concurrency import run_in_threadpool

        body = b""
        async for part in request.stream():
            body += part
            if len(body) > notes.LARGEST:
                return PlainTextResponse("too large", 413)
        return await run_in_threadpool(respond, request, body)

    return respond_to_body if has_body else respond


def _static(name: str) -> Callable[[Request], Awaitable[Response]]:
    kind = TYPES[name.rpartition(".")[2]]

    async def respond(request: Request) -> Response:  # at once: a pool of threads takes time to start
        return Response(files("intercode.view").joinpath("static", name).read_bytes(), media_type=kind)

    return respond
