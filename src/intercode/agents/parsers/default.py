"""The reading for today's models: the first fence in the world's language, or a word such as `submit`."""

from __future__ import annotations

import re
from functools import partial

from intercode import world_specs
from intercode.agents.parsers.fences import Fence, fences
from intercode.agents.parsers.parsed_reply import ParsedReply
from intercode.types import Action
from intercode.world_specs import WorldSpec

SESSIONS = ("console", "shell-session", "shellsession", "terminal")
"""Fences that show a session: commands behind a prompt, and what they printed."""

THINK_MARK = re.compile(r"</?think(?:ing)?>")
THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
MARKUP = r"^(?:[*#>]|[^\S\n])*"
"""What may stand before a word at the beginning of a line. No line break: each line of many empty ones would look at
all that follow."""

ACTION = re.compile(MARKUP + r"action\b[ \d]*:[* ]*", re.IGNORECASE | re.MULTILINE)
OBSERVATION = re.compile(MARKUP + r"observation\b[ \d]*:", re.IGNORECASE | re.MULTILINE)
THOUGHT = re.compile(r"^[*#>\s]*thought\b[ \d]*:[* ]*", re.IGNORECASE)
STEP = re.compile(MARKUP + r"(?:action|thought)\b[ \d]*:", re.IGNORECASE)
OPENINGS = ("execute[", "submit[")
CALL = re.compile(r"(execute|submit)\[(.*)\]", re.DOTALL)
WORD = re.compile(r"(?:action:[ \t]*)?(submit|skip)\b[ \t]*([^\n`*]*|\w+\{.*\})", re.IGNORECASE)


def choose(strategy: str, world: str, *, bare: bool = False) -> partial[ParsedReply]:
    """Return the parser for *strategy* in *world*; every pair has one.

    With *bare* a reply without a fence is code as a whole.
    """
    spec = world_specs.find(world)
    if strategy == "react":
        return partial(_thought_and_action, world=spec, bare=bare)
    return partial(_code, world=spec, bare=bare)


def without_thinking(text: str) -> str:
    """Return *text* but for what stands between <think> marks. Chat templates may put the first into the prompt."""
    mark = THINK_MARK.search(text)
    if mark is not None and mark[0].startswith("</"):
        text = text[mark.end() :]
    return THINKING.sub("", text).strip()


def _code(text: str, *, world: WorldSpec, bare: bool) -> ParsedReply:
    """Return the first fence of the world's language, else the first without one; else a word.

    *bare*: else all of it.
    """
    text = without_thinking(text)
    found = _fence(text, world)
    if found is not None:
        return ParsedReply(Action.parse(_code_in(found)), text[: found.begins].strip())
    if (word := _word(text)) is not None:
        return word
    if bare and not _is_cut_short(text, world):
        return ParsedReply(_non_empty(text.strip("`")), is_closed=False)
    return ParsedReply(None, text)


def _thought_and_action(text: str, *, world: WorldSpec, bare: bool) -> ParsedReply:
    """Return what stands behind the first `Action:`, up to an observation that the model made up."""
    text = without_thinking(text)
    marker = ACTION.search(text)
    if marker is None:
        return _code(_before_made_up_output(text), world=world, bare=bare)
    thought = THOUGHT.sub("", text[: marker.start()]).strip()
    rest = _before_made_up_output(text[marker.end() :]).strip()
    found = _fence(rest, world)
    if found is not None:
        return ParsedReply(Action.parse(_code_in(found)), thought)
    rest = _before_next_step(rest)
    if (call := CALL.match(rest.strip("`"))) is not None:
        kind, inside = call.groups()
        action = Action("submit", inside.strip()) if kind == "submit" else _non_empty(inside)
        return ParsedReply(action, thought)
    if _is_cut_short(rest, world):
        return ParsedReply(None, thought)
    word = _word(rest)
    return ParsedReply(word.action if word else _non_empty(rest.strip("`")), thought, is_closed=False)


def _fence(text: str, world: WorldSpec) -> Fence | None:
    """Return the block to run; one that the end of the reply cut short is none: half a command may do anything."""
    usable = [each for each in fences(text, world.language) if each.closed and each.code.strip()]
    named = (each for each in usable if world.accepts_fence(each.language))
    return next(named, next((each for each in usable if not each.language), None))


def _is_cut_short(text: str, world: WorldSpec) -> bool:
    """Return whether a block or a call has no end. There is nothing to run, then: half a command may do anything."""
    return text.startswith(OPENINGS) or any(not each.closed for each in fences(text, world.language))


def _code_in(fence: Fence) -> str:
    """Return the code in a block, without prompts, and without what a shown session printed."""
    lines = fence.code.strip("\n").split("\n")
    prompted = [line.lstrip()[2:] for line in lines if line.lstrip().startswith("$ ")]
    if prompted and (fence.language in SESSIONS or len(prompted) == len(lines)):
        return "\n".join(prompted)
    return "\n".join(lines).rstrip()


def _word(text: str) -> ParsedReply | None:
    """Return `submit`, `submit ANSWER` or `skip` on the last line, which may be marked up."""
    before, _, last = text.rstrip().rpartition("\n")
    line = last.strip().strip("*`").strip()
    found = WORD.fullmatch(line.removesuffix(".") if line.lower() in ("submit.", "skip.") else line)
    if found is None or (found[2] and before.strip()):  # `submit the report, then…` at the end of prose is prose
        return None
    return ParsedReply(Action.parse(f"{found[1].lower()} {found[2]}".strip()), before.strip(), is_closed=False)


def _non_empty(code: str) -> Action | None:
    return Action.parse(code.strip()) if code.strip() else None


def _before_next_step(text: str) -> str:
    """Return *text* up to the end of its first call, where the model went on with a further step of its own."""
    lines = text.split("\n")
    ends = False
    for number, line in enumerate(lines):
        if ends and STEP.match(line):
            return "\n".join(lines[:number]).rstrip()
        if line.strip():
            ends = line.rstrip(" `*\r").endswith("]")
    return text


def _before_made_up_output(text: str) -> str:
    made_up = OBSERVATION.search(text)
    return text if made_up is None else text[: made_up.start()]
