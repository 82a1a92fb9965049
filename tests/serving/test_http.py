"""What is asked over plain HTTP: episodes, tasks, schemas, figures; and who may ask."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from served import SECRET, Serve, Served
from websockets.exceptions import InvalidStatus

from intercode import datasets
from intercode.errors import UserError
from intercode.integrations.serving.guard import TOKEN_VARIABLE, read_token

TOKEN = "0123456789abcdef-token"
STARTER = datasets.load("starter")


def begin(served: Served, **data: Any) -> tuple[str, dict[str, Any]]:
    """An episode over HTTP: the id of its session, and the answer."""
    status, answer = served.http("/reset", data)
    assert status == 200, answer
    return answer["metadata"]["session_id"], answer


def test_an_episode_is_played_over_plain_http(serve: Serve) -> None:
    served = serve()
    task = STARTER.find("count-january")
    session, begun = begin(served, task="count-january")
    assert begun["metadata"]["task"]["query"] == task.query
    status, moved = served.http("/step", {"session_id": session, "action": {"text": task.gold}})
    assert (status, moved["done"]) == (200, False)
    assert served.http(f"/state?session_id={session}")[1]["step_count"] == 1
    ended = served.http("/step", {"session_id": session, "action": {"text": "submit"}})[1]
    assert (ended["reward"], ended["done"]) == (1.0, True)
    again = served.http("/reset", {"session_id": session, "index": 1, "split": "test"})[1]
    assert again["metadata"]["task"]["id"] == STARTER[1].id
    assert served.http("/close", {"session_id": session}) == (200, {"closed": True})
    assert served.http("/step", {"session_id": session, "action": {"text": "ls"}})[0] == 404
    assert len(served.pool) == 0


def test_sessions_over_http_are_apart_and_their_ids_cannot_be_guessed(serve: Serve) -> None:
    served = serve()
    (first, _), (second, _) = begin(served, task=0), begin(served, task=0)
    assert first != second
    assert len(first) >= 20
    served.http("/step", {"session_id": first, "action": {"text": "echo mine > /tmp/mine"}})
    seen = served.http("/step", {"session_id": second, "action": {"text": "ls /tmp/mine"}})[1]
    assert seen["observation"]["exit_code"] == 2


def test_sessions_over_http_are_closed_when_they_are_idle(serve: Serve) -> None:
    served = serve(idle_seconds=0.3)
    begin(served, task=0)
    assert served.wait(lambda: len(served.pool) == 0)


def test_a_reset_that_fails_leaves_no_session(serve: Serve) -> None:
    served = serve()
    status, answer = served.http("/reset", {"task": "no-such-task"})
    assert status == 400
    assert "no-such-task" in answer["detail"]["message"]
    assert len(served.pool) == 0


def test_failures_have_their_status(serve: Serve) -> None:
    served = serve()
    session, _ = begin(served, task=0)
    assert served.http("/step", {"action": {"text": "ls"}})[0] == 422
    assert served.http("/step", {"session_id": session, "action": {"code": "ls"}})[0] == 422
    assert served.http("/step", {"session_id": "nobody", "action": {"text": "ls"}})[0] == 404
    assert served.http("/state?session_id=nobody")[0] == 404
    assert served.http("/reset", raw=b"{")[0] == 400
    assert served.http("/reset", raw=b'{"a": ' * 100_000)[0] == 400
    assert served.http("/mcp", raw=b'{"a": ' * 100_000)[1]["error"]["code"] == -32700
    assert served.http("/reset", raw=b" " * (9 << 20))[0] == 413
    assert served.http("/nothing")[0] == 404
    status, answer = served.http("/step", {"session_id": session, "action": {"text": "break the sandbox"}})
    assert (status, answer["detail"]["error"]) == (500, "SandboxError")
    assert SECRET not in json.dumps(answer)


def test_tasks_are_listed_by_split_without_their_golds(serve: Serve) -> None:
    served = serve()
    assert served.http("/list_environments")[1] == ["intercode"]
    assert served.http("/intercode/splits")[1] == [{"name": "test", "type": "test"}]
    assert served.http("/intercode/num_tasks", {"split": "test"})[1] == {"num_tasks": len(STARTER)}
    listed = served.http("/InterCode/tasks", {"split": "test"})[1]["tasks"]
    assert [each["id"] for each in listed] == [task.id for task in STARTER]
    assert set(listed[0]) == {"id", "query", "world", "category", "difficulty", "excluded", "index"}
    assert served.http("/intercode/task", {"split": "test", "index": 2})[1]["task"] == listed[2]
    assert served.http("/intercode/task_range", {"split": "test", "start": 1, "stop": 3})[1]["tasks"] == listed[1:3]
    assert served.http("/intercode/task", {"split": "test", "index": 9999})[0] == 400
    assert served.http("/intercode/task", {"split": "dreams", "index": 0})[0] == 400
    assert served.http("/other/tasks", {"split": "test"})[0] == 404


def test_the_schema_wants_exactly_one_field_of_an_action(serve: Serve) -> None:
    schema = serve().http("/schema")[1]
    assert schema["action"]["required"] == ["text"]
    assert {"text", "reward", "done"} <= set(schema["observation"]["properties"])
    assert {"episode_id", "step_count"} <= set(schema["state"]["properties"])


def test_figures_are_what_prometheus_reads(serve: Serve) -> None:
    served = serve()
    with served.client() as client:
        client.ask("reset", task=0)
        client.ask("step", text="submit")
        assert "intercode_sessions 1.0" in served.http("/metrics")[1]
    assert served.wait(lambda: len(served.pool) == 0)
    figures = served.http("/metrics")[1]
    for line in (
        "intercode_sessions 0.0",
        'intercode_sessions_closed_total{reason="disconnected"} 1.0',
        'intercode_episodes_total{status="submitted"} 1.0',
        'intercode_seconds_count{call="reset"} 1.0',
        'intercode_seconds_count{call="step"} 1.0',
    ):
        assert line in figures, line
    assert "process_open_fds" in figures


def test_only_who_has_the_token_is_answered(serve: Serve) -> None:
    served = serve(token=TOKEN)
    assert served.http("/health")[0] == 200
    for path in ("/metrics", "/schema", "/intercode/splits", "/openapi.json"):
        assert served.http(path)[0] == 401, path
        assert served.http(path, authorization=f"Bearer {TOKEN}x")[0] == 401
        assert served.http(path, authorization=f"Bearer {TOKEN}")[0] == 200
    assert served.http("/reset", {})[0] == 401
    with pytest.raises(InvalidStatus), served.client():
        pass
    with served.client(additional_headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        assert client.ask("reset", task=0)["done"] is False


def test_no_page_in_a_browser_may_ask(serve: Serve) -> None:
    served = serve()
    assert served.http("/schema", origin="https://example.org")[0] == 403
    assert served.http("/schema", host="example.org")[0] == 421
    assert served.http("/schema", host=f"localhost:{served.server.port}")[0] == 200
    with pytest.raises(InvalidStatus), served.client(origin="https://example.org"):
        pass
    with pytest.raises(InvalidStatus), served.client(additional_headers={"Host": "example.org"}):
        pass


def test_a_token_is_read_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    assert read_token(file, "0.0.0.0") == TOKEN
    assert read_token(None, "127.0.0.1") == read_token(None, "localhost") == read_token(None, "::1") == ""
    for host in ("0.0.0.0", "::", "192.168.1.4", "my-machine"):
        with pytest.raises(UserError, match="open to others"):
            read_token(None, host)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    assert read_token(None, "0.0.0.0") == TOKEN


@pytest.mark.parametrize("text", ["", "12-char-word", "0123456789abcde\x00f", "0123456789abcdefé"])
def test_a_token_that_is_none_is_refused_and_not_repeated(text: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(text)
    with pytest.raises(UserError) as refused:
        read_token(file, "127.0.0.1")
    assert not text or text not in str(refused.value)
    with pytest.raises(UserError, match="cannot read"):
        read_token(tmp_path / "nothing", "127.0.0.1")
