"""Rewards of the Bash world."""
