"""Attacks on the embedded sandbox, each asserting what the host saw."""
