"""Patterns that leave paths out."""

from leaveout.rules import Rules

__all__ = ["Rules"]
