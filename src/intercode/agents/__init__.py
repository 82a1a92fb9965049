"""Agents: WHO acts."""
