"""The worlds, a folder for each: its environment, scorings, prompts, starter tasks and attacks."""

from intercode.world_specs import WorldSpec

__all__ = ["WorldSpec"]
