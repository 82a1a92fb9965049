"""Inspect's own conformance tests on our provider, each on a fresh session."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from inspect_ai.util import SandboxEnvironment
from inspect_ai.util._sandbox import self_check

from intercode.integrations.inspect.sandbox import IntercodeSandboxEnvironment

AS_ROOT = (
    "test_read_file_not_allowed",
    "test_write_text_file_without_permissions",
    "test_write_binary_file_without_permissions",
)
"""Modes do not bind root, who reads and writes files: Inspect excuses its docker provider from these as well."""


@asynccontextmanager
async def fresh_session() -> AsyncIterator[SandboxEnvironment]:
    environments = await IntercodeSandboxEnvironment.sample_init("self_check", None, {})
    try:
        yield environments["default"]
    finally:
        await IntercodeSandboxEnvironment.sample_cleanup("self_check", None, environments, False)


CHECKS: dict[str, Callable[[SandboxEnvironment], Awaitable[None]]] = {
    name: check
    for name, check in inspect.getmembers(self_check, inspect.iscoroutinefunction)
    if name.startswith("test_")
}


def test_there_are_as_many_checks_as_we_know() -> None:
    assert len(CHECKS) >= 44
    assert set(AS_ROOT) < set(CHECKS)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", sorted(set(CHECKS) - set(AS_ROOT)))
async def test_inspects_own_check_passes(name: str) -> None:
    async with fresh_session() as sandbox:
        await CHECKS[name](sandbox)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", AS_ROOT)
async def test_what_root_may_do_is_all_that_we_are_excused_from(name: str) -> None:
    async with fresh_session() as sandbox:
        with pytest.raises(AssertionError, match="PermissionError"):
            await CHECKS[name](sandbox)
