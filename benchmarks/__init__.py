"""Benchmarks: run one with `python -m benchmarks.NAME` from the repository's root. They are no part of the package."""
