"""The published reward of the Bash world, bit for bit: 0.01 and three parts of up to 0.33 each.

After princeton-nlp/intercode, `intercode/envs/bash/bash_env.py`, faults included: rounding, the order of the additions
and what is never compared decide whether a published figure is met. `exact` is what the faults should have been.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from hashlib import md5

from intercode.rewards.core.file_endings import BashEnding, FinalState
from intercode.types import Score
from intercode.worlds.bash.scoring.paper_quoting import split
from intercode.worlds.bash.scoring.tfidf import similarity

_PART = 0.33
_COMPARED = ("A", "??", "C")
_DIED = Score(
    0.0,
    success=False,
    notes=("the published program ends with an exception here: a path with a blank or a quote among the changes",),
)


def paper(ending: BashEnding) -> Score:
    """Judge as the published program does; `success` is a value of exactly 1.

    Parts: `file_diff` (the entries of both `git status`), `file_changes` (sums of the new files on both sides) and
    `answer_similarity` (the last output). Where the published program, and its run with it, ends with an exception, the
    value is 0 and a note says so. No other value is below 0.01.
    """
    mine, golds = entries(ending.agent.status), entries(ending.gold.paper.status)
    if mine is None or golds is None:
        return _DIED
    file_changes = _file_changes(mine & golds, ending.agent, ending.gold.paper)
    if file_changes is None:
        return _DIED
    file_diff = round(_PART * (1 - math.erf(len(mine ^ golds))), 2)
    answer_similarity = _round_as_numpy(_PART * similarity(*_texts(ending)))
    value = 0.01 + file_diff + file_changes + answer_similarity
    parts = {"file_diff": file_diff, "file_changes": file_changes, "answer_similarity": answer_similarity}
    return Score(value, value == 1.0, parts, ("the gold is corrupt",) if ending.gold.corrupt else ())


def entries(status: str) -> set[tuple[str, str]] | None:
    """Split a status text as the published program does: at white space, into (path, code) pairs.

    A path with one blank in it makes three words of its entry.

    Returns:
        None for an odd number of words, where the published program ends with an exception.
    """
    words = status.split()
    return None if len(words) % 2 else set(zip(words[1::2], words[::2], strict=True))


def sums(status: str, read: Callable[[str], bytes]) -> dict[str, str]:
    """Return the `md5sum` lines of those entries of a status text that are compared by one.

    Args:
        status: The text of `git status --short`.
        read: Gives the whole content of a regular file at an absolute path, links followed, or raises OSError.

    Returns:
        The lines by path, as it is written in the status. What cannot be read has the line "": both sides then fail
        alike.
    """
    if not status:
        return {}
    paths = {path for path, code in entries(status) or () if code in _COMPARED and "." in path}
    return {path: _sum(path, read) for path in paths}


def _sum(path: str, read: Callable[[str], bytes]) -> str:
    argument = _argument(path)
    if argument is None or argument.startswith("-"):
        return ""
    try:
        return f"{md5(read('/' + argument), usedforsecurity=False).hexdigest()}  {argument}"
    except OSError:
        return ""


def _argument(path: str) -> str | None:
    """Return what the container's programs get for *path*: shlex takes quotes and backslashes away.

    None where it fails.
    """
    words = split(path)
    return None if words is None else "".join(words)


def _file_changes(common: set[tuple[str, str]], agent: FinalState, gold: FinalState) -> float | None:
    """Return the part for new files that both sides have; None where the published program dies over a path.

    A path without a "." goes to `md5deep`, which the containers do not have: both sides fail alike and count as same.
    """
    paths = [path for path, code in common if code in _COMPARED]
    if not paths:
        return _PART
    if any(_argument(path) is None for path in paths):
        return None
    same = sum("." not in path or agent.sums.get(path, "") == gold.sums.get(path, "") for path in paths)
    return round(_PART * (same / len(paths)), 2)


def _texts(ending: BashEnding) -> tuple[str, str | None]:
    """What is compared: where nothing was run the agent's text is the query, and a corrupt gold's text is None."""
    answer = ending.agent.answer
    return ending.task.query if answer is None else answer, None if ending.gold.corrupt else ending.gold.paper.answer


def _round_as_numpy(value: float) -> float:
    """Two digits as numpy rounds, since this part is a numpy number: 0.165 becomes 0.16 here, and 0.17 by `round`."""
    return round(value * 100) / 100
