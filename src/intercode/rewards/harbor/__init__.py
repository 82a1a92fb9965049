"""The rewards of the Harbor world: what a task's own verifier has written."""
