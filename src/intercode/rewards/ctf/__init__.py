"""Rewards of capture the flag."""
