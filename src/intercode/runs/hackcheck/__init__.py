"""Is a reward sound? Adversaries that do no work, played on every task, and what they earn."""
