"""Rewards of software engineering."""
