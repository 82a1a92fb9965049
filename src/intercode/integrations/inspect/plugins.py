"""What Inspect loads: importing these modules registers what they hold."""

from intercode.integrations.inspect import sandbox, scorers, solvers, tasks

__all__ = ["sandbox", "scorers", "solvers", "tasks"]
