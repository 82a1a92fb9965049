"""Parquet, a row for each episode with its turns nested: for pandas, Polars, DuckDB and trainers. Needs pyarrow.

Where a server told tokens, `segments` has them as reinforcement learning wants them: what was read and what followed,
with 1 in the mask for what the model wrote itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from intercode.report.export import Export, RunData, clean
from intercode.report.exports.conversation.messages import conversations
from intercode.report.exports.conversation.tokens import segments
from intercode.types import SCORINGS, Trajectory, Turn
from intercode_sandbox.util.text import pluralize

TEXT, WHOLE, NUMBER, TRUTH = pyarrow.string(), pyarrow.int64(), pyarrow.float64(), pyarrow.bool_()

TURN = pyarrow.struct(
    {
        "kind": TEXT,
        "action": TEXT,
        "thought": TEXT,
        "observation": TEXT,
        "exit_code": WHOLE,
        "timed_out": TRUTH,
        "truncated": TRUTH,
        "reward": NUMBER,
        "paper": NUMBER,
        "exact": NUMBER,
        "state_hash": TEXT,
        "started": NUMBER,
        "prompt_tokens": WHOLE,
        "completion_tokens": WHOLE,
        "cost": NUMBER,
    }
)

SEGMENT = pyarrow.struct(
    {
        "prompt_ids": pyarrow.list_(WHOLE),
        "response_ids": pyarrow.list_(WHOLE),
        "response_mask": pyarrow.list_(WHOLE),
        "response_logprobs": pyarrow.list_(NUMBER),
    }
)

MESSAGE = pyarrow.struct({"role": TEXT, "content": TEXT, "learn": TRUTH})

SCHEMA = pyarrow.schema(
    {
        "run": TEXT,
        "task": TEXT,
        "repeat": WHOLE,
        "seed": WHOLE,
        "world": TEXT,
        "category": TEXT,
        "difficulty": TEXT,
        "query": TEXT,
        "agent": TEXT,
        "status": TEXT,
        "error": TEXT,
        "paper": NUMBER,
        "exact": NUMBER,
        "paper_success": TRUTH,
        "exact_success": TRUTH,
        "scoring": TEXT,
        "score": NUMBER,
        "success": TRUTH,
        "seconds": NUMBER,
        "prompt_tokens": WHOLE,
        "completion_tokens": WHOLE,
        "cost": NUMBER,
        "turns": pyarrow.list_(TURN),
        "conversations": pyarrow.list_(pyarrow.list_(MESSAGE)),
        "segments": pyarrow.list_(SEGMENT),
    }
)


def write(material: RunData, path: Path) -> str:
    """Return one file."""
    rows = [clean(row(material.name, episode, material.scoring)) for episode in material.episodes]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=SCHEMA), path, compression="zstd")
    return pluralize(len(rows), "row")


def row(run: str, episode: Trajectory, scoring: str) -> dict[str, Any]:
    """Return one episode, judged by the reward *scoring*; None where nothing was judged, or no price is known."""
    task, usage = episode.task, episode.usage
    return {
        "run": run,
        "task": task.id,
        **{name: getattr(task, name) for name in ("world", "category", "difficulty", "query")},
        **{name: getattr(episode, name) for name in ("repeat", "seed", "agent", "status", "error", "seconds")},
        "paper": episode.value("paper"),
        "exact": episode.value("exact"),
        "paper_success": episode.success("paper"),
        "exact_success": episode.success("exact"),
        "scoring": scoring,
        "score": episode.value(scoring),
        "success": episode.success(scoring),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost": usage.cost,
        "turns": [_turn(turn) for turn in episode.turns],
        "conversations": [
            [{"role": line.message.role, "content": line.message.text, "learn": line.learn} for line in lines]
            for lines in conversations(episode)
        ],
        "segments": [{name: list(getattr(segment, name)) for name in SEGMENT.names} for segment in segments(episode)],
    }


def _turn(turn: Turn) -> dict[str, Any]:
    usage = turn.usage
    return {
        "kind": turn.action.kind,
        "action": turn.action.text,
        **{name: getattr(turn, name) for name in ("thought", "reward", "state_hash", "started")},
        "observation": turn.observation.text,
        **{name: getattr(turn.observation, name) for name in ("exit_code", "timed_out", "truncated")},
        **{name: turn.scores[name].value if turn.scores and name in turn.scores else None for name in SCORINGS},
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost": usage.cost,
    }


EXPORT = Export(write, ".parquet", with_errors=True)
