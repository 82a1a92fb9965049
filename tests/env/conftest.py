"""The same sandbox and cache as for tests of worlds."""

from worlds.conftest import cache, hasty, sandbox

__all__ = ["cache", "hasty", "sandbox"]
