"""Rewards of the SQL world."""
