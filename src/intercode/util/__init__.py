"""Helpers that know nothing of episodes: files, processes, locks, text."""
