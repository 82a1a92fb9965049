"""Sessions over WebSockets: apart from each other, bounded, and gone when their clients are."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from gymnasium.error import ClosedEnvironmentError
from served import SECRET, Client, RaisingReward, Serve
from websockets.exceptions import ConnectionClosed

from intercode import datasets
from intercode.integrations.serving.served_tasks import ServedTasks
from intercode.integrations.serving.sessions import RefusedError, ServedSessions
from intercode.worlds.bash import BashEnv
from intercode_sandbox.scripted import ScriptedSandbox

STARTER = datasets.load("starter")


def flood(client: Client) -> None:
    """Ask far more than is answered, and listen."""
    for _ in range(100):
        client.socket.send('{"type": "state"}')
    client.receive()


def descriptors() -> int:
    """How many are open, but for files of control groups: a sandbox keeps those for the sessions to come."""
    targets = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # that of the listing itself
            targets.append(os.readlink(f"/proc/self/fd/{name}"))
    return sum(not target.startswith("/sys/fs/cgroup/") for target in targets)


def settled_descriptors() -> int:
    """How many are open once that has not changed for a second: a spare session may be about to be made."""
    counts = [descriptors()]
    while len(counts) < 50 or len(set(counts[-50:])) > 1:
        time.sleep(0.02)
        counts.append(descriptors())
    return counts[-1]


def test_an_episode_played_by_its_gold_earns_one(serve: Serve) -> None:
    task = STARTER.find("count-january")
    with serve().client() as client:
        begun = client.ask("reset", task="count-january", seed=7, episode_id="mine")
        assert begun["observation"]["text"] == task.query
        assert (begun["reward"], begun["done"]) == (None, False)
        moved = client.ask("step", text=task.gold)
        assert (moved["observation"]["exit_code"], moved["reward"], moved["done"]) == (0, 0.0, False)
        assert client.ask("state") == {"episode_id": "mine", "step_count": 1, "task": task.id, "status": None}
        ended = client.ask("step", text="submit")
        assert (ended["reward"], ended["done"]) == (1.0, True)
        assert ended["metadata"]["scores"]["exact"]["success"] is True
        assert client.ask("state")["status"] == "submitted"


def test_handing_in_nothing_earns_nothing_and_giving_up_is_not_scored(serve: Serve) -> None:
    with serve().client() as client:
        client.ask("reset", task="count-january")
        assert client.ask("step", text="submit")["reward"] == 0.0
        client.ask("reset", task="count-january")
        skipped = client.ask("step", text="skip")
        assert (skipped["reward"], skipped["done"], skipped["metadata"]["status"]) == (None, True, "skipped")


def test_no_session_sees_anothers_files(serve: Serve) -> None:
    served = serve()

    def play(number: int) -> list[str]:
        seen = []
        with served.client() as client:
            for episode in range(2):
                client.ask("reset", task=0)
                client.ask("step", text=f"echo {number}-{episode} > /tmp/mark-{number}-{episode}")
                seen.append(client.ask("step", text="cat /tmp/mark-*")["observation"]["text"])
                client.ask("step", text="submit")
        return seen

    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(play, range(16)))
    assert found == [[f"{number}-0\n", f"{number}-1\n"] for number in range(16)]


def test_an_equal_seed_gives_equal_tasks(serve: Serve) -> None:
    def tasks(client_seed: int) -> list[str]:
        with served.client() as client:
            first = client.ask("reset", seed=client_seed)
            return [first["metadata"]["task"]["id"], *(client.ask("reset")["metadata"]["task"]["id"] for _ in range(5))]

    served = serve()
    assert tasks(3) == tasks(3)
    assert tasks(3) != tasks(4)
    assert len(set(tasks(3))) == 6


def test_an_action_is_stopped_after_the_seconds_that_it_was_given(serve: Serve) -> None:
    with serve().client() as client:
        client.ask("reset", task=0)
        began = time.monotonic()
        answer = client.ask("step", text="sleep 9", timeout_s=0.5)
        assert answer["observation"]["timed_out"] is True
        assert time.monotonic() - began < 8
        assert client.ask("step", text="echo on")["observation"]["text"] == "on\n"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("{", "INVALID_JSON"),
        ('{"type": "reset", "data": ' + '{"a": ' * 100_000, "INVALID_JSON"),
        ("[]", "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"text": "\\udc80"}}', "INVALID_JSON"),
        ('{"type": "dance"}', "UNKNOWN_TYPE"),
        ('{"type": "step", "data": {"code": "ls"}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"text": "ls", "code": "ls"}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"text": "ls", "timeout_s": 0}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"text": "ls"}}', "EXECUTION_ERROR"),
        ('{"type": "reset", "data": {"seed": -1}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"task": "no-such-task"}}', "EXECUTION_ERROR"),
        ('{"type": "reset", "data": {"split": "train", "index": 0}}', "EXECUTION_ERROR"),
    ],
    ids=lambda text: text[:60],
)
def test_what_cannot_be_done_is_an_error_after_which_the_session_goes_on(serve: Serve, raw: str, code: str) -> None:
    with serve().client() as client:
        answer = client.send(raw)
        assert (answer["type"], answer["data"]["code"]) == ("error", code)
        assert client.ask("reset", task=0)["observation"]["text"]


def test_fields_that_mean_nothing_are_named(serve: Serve) -> None:
    with serve().client() as client:
        assert client.ask("reset", task=0, taks=3)["metadata"]["ignored"] == ["taks"]


def test_the_machines_failure_is_an_error_and_never_a_reward(serve: Serve) -> None:
    served = serve()
    with served.client() as client:
        client.ask("reset", task=0)
        answer = client.ask("step", text="break the sandbox")
        assert (answer["code"], answer["error"]) == ("EXECUTION_ERROR", "SandboxError")
        assert "reward" not in answer
        assert SECRET not in client.heard
        assert client.ask("state")["status"] == "error"
        assert client.ask("step", text="submit")["code"] == "EXECUTION_ERROR"
        assert client.ask("reset", task=0)["reward"] is None
    figures = served.http("/metrics")[1]
    assert 'intercode_machine_errors_total{error="SandboxError"} 1.0' in figures
    assert 'intercode_episodes_total{status="error"} 1.0' in figures


def test_a_reward_that_cannot_judge_is_an_error_that_tells_nothing(serve: Serve) -> None:
    with serve(reward=RaisingReward()).client() as client:
        client.ask("reset", task=0)
        answer = client.ask("step", text="submit")
        assert answer["error"] == "RewardError"
        assert SECRET not in client.heard
        assert (STARTER[0].gold or SECRET) not in client.heard


def test_a_bug_ends_its_session_alone(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    served = serve()
    with served.client() as other:
        other.ask("reset", task=0)
        with served.client() as client:
            client.ask("reset", task=0)
            with pytest.raises(ConnectionClosed):
                client.ask("step", text="hit a bug")
        assert served.wait(lambda: len(served.pool) == 1)
        assert other.ask("step", text="echo on")["observation"]["text"] == "on\n"
    assert "ZeroDivisionError" in caplog.text


def test_no_gold_crosses_the_wire(serve: Serve) -> None:
    served = serve()
    heard = str([served.http("/intercode/tasks", {"split": "test"}), served.http("/schema"), served.http("/metadata")])
    with served.client() as client:
        for task in STARTER:
            client.ask("reset", task=task.id)
            client.ask("step", text="true")
            client.ask("step", text="submit")
        heard += client.heard
    golds = {gold for task in STARTER for gold in task.golds if len(gold) > 5}
    assert len(golds) > 5
    assert [gold for gold in golds if gold in heard or gold.replace('"', '\\"') in heard] == []


def test_one_session_too_many_is_refused_until_another_ends(serve: Serve) -> None:
    served = serve(max_sessions=2)
    with served.client() as first, served.client() as second:
        for client in (first, second):
            client.ask("reset", task=0)
        with served.client() as third:
            assert third.receive()["data"]["code"] == "CAPACITY_REACHED"
        assert served.http("/reset", {})[0] == 503
    assert served.wait(lambda: len(served.pool) == 0)
    with served.client() as client:
        assert client.ask("reset", task=0)["done"] is False


def test_an_idle_session_is_closed_and_its_client_hears_why(serve: Serve) -> None:
    served = serve(idle_seconds=3)
    with served.client() as client:
        client.ask("reset", task=0)
        answer = client.receive()
        assert answer["data"]["code"] == "SESSION_ERROR"
        assert "idle" in answer["data"]["message"]
        with pytest.raises(ConnectionClosed):
            client.receive()
    assert len(served.pool) == 0


def test_a_session_in_the_middle_of_an_action_is_not_idle(serve: Serve) -> None:
    with serve(idle_seconds=2.5).client() as client:
        client.ask("reset", task=0)
        assert client.ask("step", text="sleep 4; echo on")["observation"]["text"] == "on\n"


def test_clients_that_vanish_in_the_middle_of_an_action_leave_nothing(serve: Serve) -> None:
    served = serve()
    with served.client() as warm:
        for _ in range(2):  # from the second on a spare session waits
            warm.ask("reset", task=0)
    assert served.wait(lambda: len(served.pool) == 0)
    before = settled_descriptors()
    clients = []
    for number in range(8):
        manager = served.client()
        client = manager.__enter__()
        clients.append((manager, client))
        client.ask("reset", task=0)
        if number % 2:
            client.socket.send('{"type": "step", "data": {"text": "sleep 9"}}')
    time.sleep(0.3)
    for _, client in clients:
        client.socket.socket.shutdown(socket.SHUT_RDWR)  # what the kernel does for a process that is killed
    assert served.wait(lambda: len(served.pool) == 0)
    assert served.wait(lambda: descriptors() <= before + len(clients))  # ours are still open
    for manager, _ in clients:
        manager.__exit__(None, None, None)
    assert served.wait(lambda: descriptors() <= before)


def test_messages_sent_ahead_are_answered_in_order_and_too_many_end_the_session(serve: Serve) -> None:
    with serve().client() as client:
        client.ask("reset", task=0)
        for number in range(3):
            client.socket.send(f'{{"type": "step", "data": {{"text": "echo {number}"}}}}')
        assert [client.receive()["data"]["observation"]["text"] for _ in range(3)] == ["0\n", "1\n", "2\n"]
        client.socket.send('{"type": "step", "data": {"text": "sleep 5"}}')
        with pytest.raises(ConnectionClosed):
            flood(client)


def test_many_sessions_one_after_the_other_leave_no_growth(serve: Serve) -> None:
    served = serve()

    def play(count: int) -> None:
        for _ in range(count):
            with served.client() as client:
                client.ask("reset", task=0)
                client.ask("step", text="submit")

    play(10)
    assert served.wait(lambda: len(served.pool) == 0)
    before, threads = settled_descriptors(), threading.active_count()
    play(60)
    assert served.wait(lambda: len(served.pool) == 0)
    assert served.wait(lambda: descriptors() <= before + 10)  # spares come and go; one left by each session were 60
    # those of pools are begun as they are needed, 40 at most; one left by each session were 60
    assert served.wait(lambda: threading.active_count() <= threads + 40)


def test_a_server_that_is_told_to_stop_lets_episodes_end(serve: Serve) -> None:
    served = serve(drain_seconds=60.0)
    with served.client() as playing, served.client() as idle:
        playing.ask("reset", task=0)
        idle.ask("state")
        served.server.stop()
        assert served.wait(lambda: served.pool.is_draining)
        assert idle.ask("reset", task=0)["code"] == "CAPACITY_REACHED"
        assert served.http("/health")[0] == 503
        assert playing.ask("step", text="submit")["done"] is True
        answer = playing.receive()
        assert "stops" in answer["data"]["message"]


def test_a_session_left_in_an_episode_does_not_keep_the_server_from_stopping(serve: Serve) -> None:
    served = serve(drain_seconds=0.5)
    with served.client() as client:
        client.ask("reset", task=0)
        client.socket.send('{"type": "step", "data": {"text": "sleep 9"}}')
        served.server.stop()
        began = time.monotonic()
        assert served.wait(lambda: len(served.pool) == 0)
        assert time.monotonic() - began < 8


def test_an_environment_that_nobody_waits_for_any_more_is_closed() -> None:
    env = BashEnv(sandbox=ScriptedSandbox({}))
    is_asked, is_made = threading.Event(), threading.Event()

    def make() -> BashEnv:
        is_asked.set()
        is_made.wait(60)
        return env

    def is_closed() -> bool:
        with suppress(ClosedEnvironmentError):
            env.reset()
            return False
        return True

    async def leave() -> None:
        pool = ServedSessions(make, ServedTasks.of(STARTER, list(STARTER)))
        opening = asyncio.create_task(pool.open())
        assert await asyncio.to_thread(is_asked.wait, 60)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        is_made.set()
        async with asyncio.timeout(30):
            while not is_closed():
                await asyncio.sleep(0.02)
        assert len(pool) == 0
        await pool.close_all()

    asyncio.run(leave())


class LeavingBadly(BashEnv):
    """A world whose end is a bug."""

    def close(self) -> None:
        super().close()
        raise ZeroDivisionError("a bug")


def test_a_world_that_cannot_be_closed_does_not_keep_other_sessions_open() -> None:
    """Idle sessions were never closed again after the first such end, and all places were taken in the end."""
    sandbox = ScriptedSandbox()
    tasks = ServedTasks.of(STARTER, list(STARTER))
    pool = ServedSessions(lambda: LeavingBadly(STARTER, sandbox=sandbox), tasks, idle_seconds=0.1)

    async def leave() -> None:
        async with pool.lifespan(), asyncio.timeout(30):
            for _ in range(2):
                await pool.open()
                while len(pool):
                    await asyncio.sleep(0.02)

    asyncio.run(leave())


def test_where_all_are_in_use_a_client_replaces_the_one_it_has_not_used_for_longest_and_never_anothers() -> None:
    sandbox = ScriptedSandbox()
    tasks = ServedTasks.of(STARTER, list(STARTER))
    pool = ServedSessions(lambda: BashEnv(STARTER, sandbox=sandbox), tasks, max_sessions=3)

    async def replace() -> None:
        theirs, first, second = await pool.open("they"), await pool.open("we"), await pool.open("we")
        await first.reset()
        third, fourth = await asyncio.gather(pool.open("we"), pool.open("we"))
        assert [each.reason for each in (first, second)] == ["replaced", "replaced"]
        assert not theirs.ended.is_set()
        third.is_busy = fourth.is_busy = True
        for owner in ("we", "others", None):
            with pytest.raises(RefusedError, match="all 3 sessions are in use: reset one that you have"):
                await pool.open(owner)
        fourth.is_busy = False
        await pool.open("we")
        assert (third.ended.is_set(), fourth.reason, len(pool)) == (False, "replaced", 3)
        await pool.close_all()

    asyncio.run(replace())
