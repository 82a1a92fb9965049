"""Owners of files in a container are told by the container's own numbers."""

from __future__ import annotations

import os

from intercode_sandbox.docker.user_ids import NOBODY, UserIds, user_ids

ROOTLESS = ((0, 1000, 1), (1, 100_000, 65_536))
"""As in an engine that user 1000 runs: /proc/PID/uid_map."""


def test_the_user_who_runs_an_engine_without_root_is_root_there() -> None:
    assert UserIds(ROOTLESS, ROOTLESS).user(1000) == 0


def test_other_users_follow_in_a_range_of_their_own() -> None:
    ids = UserIds(ROOTLESS, ROOTLESS)
    assert [ids.group(number) for number in (100_000, 100_999, 165_535)] == [1, 1000, 65_536]


def test_who_is_not_in_the_container_is_nobody_there() -> None:
    assert UserIds(ROOTLESS, ROOTLESS).user(0) == NOBODY


def test_a_file_is_given_to_the_same_users_by_the_numbers_here() -> None:
    ids = UserIds(ROOTLESS, ROOTLESS)
    assert [ids.here(owner) for owner in ((0, 1), (1000, 0), (70_000, 0))] == [
        (1000, 100_000),
        (100_999, 1000),
        (-1, 1000),
    ]


def test_the_kernel_is_asked_how_a_process_counts() -> None:
    assert user_ids(os.getpid(), 0, 0).user(os.getuid()) == os.getuid()


def test_users_follow_root_where_the_process_is_not_in_sight() -> None:
    ids = user_ids(-1, 5000, 6000)
    assert (ids.user(5012), ids.group(6034)) == (12, 34)
