"""A cache that forgets by use and by time."""

from larder.clock import Clock, ManualClock
from larder.store import Larder

__all__ = ["Clock", "Larder", "ManualClock"]
