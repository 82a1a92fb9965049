"""Judges this folder's tasks: it runs on your machine when an episode is judged, out of the agent's reach.

Delete this file, and the world judges by comparing with the gold.
"""

from intercode.rewards.base import EpisodeResult


def reward(result: EpisodeResult) -> float:
    """From 0 to 1. What `result` holds was read by the host: nothing in it is the agent's own word.

    result.task     the task, with its gold and the other columns of tasks.jsonl (result.task.extra)
    result.answer   what the last command showed; None where nothing was run
    result.changes  the paths that differ from the image, each as it was before and as it is after
    result.read     result.read("/some/file") is that file's content, as bytes
    result.run      result.run(["ls", "/tmp"]).text is what a command prints in a copy of the final world
    result.scores   what the world itself says by comparing with the gold
    """
    by_comparison = result.scores["exact"].value if result.scores else 0.0
    is_tidy = not any(change.path.startswith("/tmp/") for change in result.changes)
    return by_comparison if is_tidy else by_comparison / 2
