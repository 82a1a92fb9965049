"""Rewards of the Python world."""
