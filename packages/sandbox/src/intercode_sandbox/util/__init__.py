"""Helpers that know nothing of sandboxes: files, processes, locks, terminals, text."""
