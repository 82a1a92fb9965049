"""Replay of the recordings that were published with the benchmark, and what is known of how they were made."""
