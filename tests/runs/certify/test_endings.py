"""Endings that are shared: the same as those of episodes, and never those of another state."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from intercode.runs.certify.endings import EndingCache, commands, what_echo_says
from intercode.sandboxes import images
from intercode.sandboxes.base import Limits
from intercode.sandboxes.embedded import EmbeddedSandbox
from intercode.sandboxes.images import Image
from intercode.sandboxes.images.files_layer import FilesLayer


@pytest.fixture(scope="module")
def sandbox() -> Iterator[EmbeddedSandbox]:
    with EmbeddedSandbox() as sandbox:
        yield sandbox


@pytest.fixture
def cache(sandbox: EmbeddedSandbox) -> Iterator[EndingCache]:
    image: Image = images.find("host").with_layers(FilesLayer({"/srv/kiwi": "green\n"}), name="kiwi")
    with EndingCache(sandbox, image, Limits(), time.time()) as cache:
        yield cache


def test_the_same_commands_run_once(cache: EndingCache) -> None:
    first = cache.play(commands("cat /srv/kiwi", "rm /srv/kiwi"))
    runs = cache.runs
    assert cache.play(commands("cat /srv/kiwi", "rm /srv/kiwi")) == first
    assert cache.runs == runs == 2


def test_what_one_attempt_changed_the_next_does_not_find(cache: EndingCache) -> None:
    cache.play(commands("echo brown > /srv/kiwi; cd /srv"))
    ending, _ = cache.play(commands("cat /srv/kiwi; pwd"))
    assert ending is not None
    assert ending.answer == "green\n/\n"
    assert ending.changes == ()


def test_an_ending_in_the_middle_is_that_of_the_middle(cache: EndingCache) -> None:
    both, _ = cache.play(commands("touch /srv/a", "touch /srv/b"))
    one, _ = cache.play(commands("touch /srv/a"))
    assert both is not None
    assert one is not None
    assert [change.path for change in both.changes] == ["/srv/a", "/srv/b"]
    assert [change.path for change in one.changes] == ["/srv/a"]


def test_what_is_forgotten_runs_again(cache: EndingCache) -> None:
    cache.play(commands("cat /srv/kiwi"))
    cache.forget("cat /srv/kiwi")
    cache.play(commands("cat /srv/kiwi"))
    assert cache.runs == 2


def test_a_process_that_is_left_is_gone_before_the_next_attempt(cache: EndingCache) -> None:
    cache.play(commands("(sleep 0.3; touch /srv/late) > /dev/null 2>&1 &"))
    ending, _ = cache.play(commands("sleep 0.6; ls /srv"))
    assert ending is not None
    assert ending.answer == "kiwi\n"


def test_nothing_run_is_no_answer(cache: EndingCache) -> None:
    ending, path = cache.play(commands())
    assert ending is not None
    assert (ending.answer, path) == (None, ())


@pytest.mark.parametrize(
    "text", ["ok", "a b", "it's", "\\n", "*", "$HOME", "{}", "", "x" * 500, "a\nb", "e\u0301", "-", "--", "a  b "]
)
def test_what_echo_says_is_what_it_says(cache: EndingCache, text: str) -> None:
    """Where it is known without running, running it gives the same."""
    from shlex import quote

    command = f"echo {quote(text)}"
    known = what_echo_says(command)
    real, _ = cache.play(commands(f"{command}; true"))
    assert real is not None
    if known is not None:
        assert real.answer == f"{known}\n"
        quick, _ = cache.play(commands(command))
        assert quick is not None
        assert (quick.answer, quick.changes) == (real.answer, real.changes)


@pytest.mark.parametrize(
    "command", ["echo -n x", "echo a b", "echo $HOME", "echo x > /f", "echo 'a' 'b'", "ls", "echo 'a"]
)
def test_what_may_be_more_than_echo_is_run(command: str) -> None:
    assert what_echo_says(command) is None
