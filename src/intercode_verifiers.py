"""What `vf-eval intercode-verifiers` loads: verifiers finds a taskset by the name of a top-level module."""

from intercode.integrations.verifiers import IntercodeEnv, IntercodeTaskset

__all__ = ["IntercodeEnv", "IntercodeTaskset"]
