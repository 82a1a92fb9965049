"""Judges this folder's tasks: it runs on your machine when an episode is judged, out of the agent's reach.

Delete this file, and the world judges by comparing with the gold.
"""

from intercode.rewards.custom import CustomEnding


def reward(ending: CustomEnding) -> float:
    """From 0 to 1. What `ending` holds was read by the host: nothing in it is the agent's own word.

    ending.task     the task, with its gold and the other columns of tasks.jsonl (ending.task.extra)
    ending.answer   what the last command showed; None where nothing was run
    ending.changes  the paths that differ from the image, each as it was before and as it is after
    ending.read     ending.read("/some/file") is that file's content, as bytes
    ending.scores   what the world itself says by comparing with the gold
    """
    by_comparison = ending.scores["exact"].value if ending.scores else 0.0
    is_tidy = not any(change.path.startswith("/tmp/") for change in ending.changes)
    return by_comparison if is_tidy else by_comparison / 2
