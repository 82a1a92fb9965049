"""Endings that are shared: the same as those of episodes, and never those of another state."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

from intercode.runs.certify.endings import EndingCache, commands, what_echo_says
from intercode.runs.certify.shared_endings import SharedEndings
from intercode.sandboxes import images
from intercode.sandboxes.base import Limits, Session
from intercode.sandboxes.embedded import EmbeddedSandbox
from intercode.sandboxes.images import Image
from intercode.sandboxes.images.files_layer import FilesLayer


class CountingSandbox(EmbeddedSandbox):
    """Counts the sessions that were asked for."""

    starts = 0

    def start(self, *args: Any, **options: Any) -> Session:
        """See `Sandbox.start`."""
        self.starts += 1
        return super().start(*args, **options)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[CountingSandbox]:
    with CountingSandbox() as sandbox:
        yield sandbox


@pytest.fixture
def cache(sandbox: CountingSandbox) -> Iterator[EndingCache]:
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


CONNECT = """python3 -c '
import socket, sys
with socket.socket() as server:
    server.bind(("127.0.0.1", int(sys.argv[1])))
    server.listen()
    with socket.create_connection(server.getsockname()):
        server.accept()[0].close()
    print("served")
'"""
"""Who closes a connection first keeps its port for a minute."""

LEAVES = {
    "a process": "sleep 60 > /dev/null 2>&1 &",
    "a file": "echo x > /srv/plum",
    "a file in /tmp": "echo x > /tmp/plum",
    "a file for a while": "echo x > /srv/plum; rm /srv/plum",
    "a mode": "chmod 600 /srv/kiwi",
    "the mode that was there": "chmod 644 /srv/kiwi",
    "a time of access": "touch -a /srv/kiwi",
    "the root's mode": "chmod 700 /",
    "a file in /dev/shm": "echo x > /dev/shm/plum",
    "a file in /dev/shm for a while": "echo x > /dev/shm/plum; rm /dev/shm/plum",
    "a file in /dev": "echo x > /dev/plum",
    "a link in /dev": "ln -sfn /srv/kiwi /dev/stderr",
    "shared memory": "ipcmk -M 100",
    "a message queue": "ipcmk -Q",
    "semaphores": "ipcmk -S 2",
    "a working directory": "cd /srv",
    "a port that is closed for a minute": f"{CONNECT} 8000",
}


def test_a_port_that_one_attempt_used_is_free_for_the_next(cache: EndingCache) -> None:
    for once_more in ("", "; true"):
        ending, _ = cache.play(commands(f"{CONNECT} 8000{once_more}"))
        assert ending is not None
        assert ending.answer == "served\n"


@pytest.mark.parametrize("what", LEAVES)
def test_who_leaves_anything_leaves_the_session_to_nobody(cache: EndingCache, what: str) -> None:
    assert isinstance(cache.sandbox, CountingSandbox)
    cache.play(commands(LEAVES[what]))
    starts = cache.sandbox.starts
    cache.play(commands("ls /srv"))
    assert cache.sandbox.starts == starts + 1


def test_who_leaves_nothing_shares_the_session(cache: EndingCache) -> None:
    assert isinstance(cache.sandbox, CountingSandbox)
    starts = cache.sandbox.starts
    for text in ("ls /srv", "cat /srv/kiwi | sort", "find / -xdev -name kiwi", "(exit 3)", "ls /none"):
        cache.play(commands(text))
    with cache.session(cache.started_at) as session:
        session.run(["/bin/true"])
    cache.play(commands("grep -r green /srv"))
    assert cache.sandbox.starts == starts + 1


def test_a_session_of_ones_own_is_shared_only_while_nothing_is_left(cache: EndingCache) -> None:
    with cache.session(5.0) as session:
        session.run(["/bin/bash", "-c", "echo x > /srv/plum"])
    with cache.session(5.0) as session:
        assert session.run(["/bin/ls", "/srv"]).text == "kiwi\n"


def test_sessions_of_one_order_of_folders_are_shared_while_nothing_is_left(cache: EndingCache) -> None:
    assert isinstance(cache.sandbox, CountingSandbox)
    starts, seen = cache.sandbox.starts, []
    for text in ("ls -U /srv", "ls -U /srv", "echo x > /srv/plum", "ls -U /srv"):
        with cache.session(5.0, 11) as session:
            seen.append(session.run(["/bin/bash", "-c", text]).text)
    assert cache.sandbox.starts == starts + 2
    assert seen[0] == seen[1] == seen[3] == "kiwi\n"
    with cache.session(5.0, 12) as session:
        session.run(["/bin/true"])
    assert cache.sandbox.starts == starts + 3


def test_what_another_cache_knows_need_not_run(sandbox: CountingSandbox, cache: EndingCache) -> None:
    texts = ["ls /srv", "echo x > /srv/plum", "cat /srv/plum"]
    first = [cache.play(commands(text))[0] for text in texts]
    with EndingCache(sandbox, cache.image, Limits(), cache.started_at) as other:
        shared = SharedEndings(cache.started_at)
        shared.is_begun.set()
        with shared.joined_by(cache), shared.joined_by(other):
            shared.tell(other)
        assert [other.play(commands(text))[0] for text in texts] == first
        assert other.runs == 0
        other.forget(texts[1])
        assert other.play(commands(texts[1]))[0] is not None
        assert other.runs == 1
    runs = cache.runs
    assert cache.play(commands(texts[1]))[0] == first[1]
    assert cache.runs == runs


def test_who_comes_to_help_waits_for_the_first_task(sandbox: CountingSandbox, cache: EndingCache) -> None:
    shared, order = SharedEndings(), list[str]()
    helper = EndingCache(sandbox, cache.image, Limits(), shared.started_at)

    def help_out() -> None:
        with shared.joined_by(helper):
            order.append("help")

    with shared.joined_by(cache):
        thread = Thread(target=help_out)
        thread.start()
        thread.join(0.2)
        order.append("first task")
        shared.is_begun.set()
        thread.join(60)
    assert order == ["first task", "help"]


def test_who_looked_before_has_changed_nothing_for_who_looks_then(cache: EndingCache) -> None:
    first = cache.play(commands("ls /srv", "cat /srv/kiwi"))[0]
    assert cache.play(commands("cat /srv/kiwi"))[0] == first
    assert cache.runs == 2
    moved = cache.play(commands("cd /srv", "cat kiwi"))[0]
    assert moved is not None
    assert (moved.answer, moved.moved_to) == ("green\n", "/srv")


LINK = "ln -sT /dev/null {} 2> /dev/null"
COPY = "for file in {}; do test -e $file || cp /srv/kiwi $file; done 2> /dev/null"


@pytest.mark.parametrize(
    ("command", "paths", "does_nothing"),
    [
        *((LINK, path, True) for path in ("/srv", "/srv/kiwi", "/dev")),
        *((LINK, path, False) for path in ("/srv/plum", "/none/plum", "/srv/kiwi/plum")),
        *((COPY, paths, True) for paths in ("/srv/kiwi", "/srv /srv/kiwi")),
        *((COPY, paths, False) for paths in ("/srv/plum", "/srv/kiwi /srv/plum", "/none/plum")),
    ],
)
def test_what_is_known_to_do_nothing_does_nothing(
    cache: EndingCache, command: str, paths: str, does_nothing: bool
) -> None:
    command = command.format(paths)
    known = cache.play(commands(command))[0]
    played = cache.play(commands(f"{command}; (exit $?)"))[0]
    assert known is not None
    assert played is not None
    assert (known.answer, len(known.changes)) == (played.answer, len(played.changes))
    assert cache.runs == (1 if does_nothing else 2)


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
