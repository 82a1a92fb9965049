"""Warnings of Inspect's own, of which we can do nothing: others are errors, as everywhere."""

from __future__ import annotations

import pytest

IGNORED = (
    "ignore:The 'initial' parameter is deprecated:DeprecationWarning",
    "ignore:Unclosed <MemoryObject:ResourceWarning",
)


def pytest_configure(config: pytest.Config) -> None:
    for line in IGNORED:
        config.addinivalue_line("filterwarnings", line)
