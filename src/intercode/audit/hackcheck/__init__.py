"""Does a reward pay for no work? Adversaries are played on every task, and what they earn is told."""
