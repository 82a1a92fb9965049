"""What AgentGym's clients ask, as their published code for SQLGym does; their package is not on PyPI."""

from __future__ import annotations

from typing import Any

import pytest
from served import SECRET, Serve, Served

from intercode import datasets
from intercode.integrations.agentgym import make_app

STARTER = datasets.load("starter")


class Client:
    """One environment, asked as theirs is: any other status than 200 is an exception."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self.env_id = self._ask("/create", {})

    def reset(self, index: int) -> list[str | None]:
        """Begin the task at *index*."""
        found: list[str | None] = self._ask("/reset", {"env_idx": self.env_id, "item_id": index})
        return found

    def observe(self) -> str:
        """The last observation."""
        return str(self._ask(f"/observation?env_idx={self.env_id}"))

    def step(self, action: str) -> dict[str, Any]:
        """Take an action."""
        found: dict[str, Any] = self._ask("/step", {"env_idx": self.env_id, "action": action})
        return found

    def close(self) -> None:
        """End the environment."""
        assert self._ask("/close", {"env_idx": self.env_id}) == "true"

    def _ask(self, path: str, data: dict[str, Any] | None = None) -> Any:
        status, answer = self._served.http(path, data)
        if status != 200:
            raise ConnectionError(f"{status}: {answer}")
        return answer[1:-1] if isinstance(answer, str) and answer[:1] == '"' else answer


def test_episodes_are_played_one_after_the_other_in_an_environment(serve: Serve) -> None:
    served = serve(make_app=make_app)
    client = Client(served)
    index = [task.id for task in STARTER].index(STARTER.find("count-january").id)
    assert client.reset(index) == [STARTER[index].query, None]
    assert client.observe() == STARTER[index].query
    first = client.step(STARTER[index].gold or "")
    assert (first["reward"], first["done"]) == (0.0, False)
    assert first["state"].replace("\n", "\\n") == client.observe()
    last = client.step("submit")
    assert (last["reward"], last["done"]) == (1.0, True)
    assert last["info"]["scores"]["exact"]["success"] is True
    client.reset(0)
    given_up = client.step("skip")
    assert (given_up["reward"], given_up["done"], given_up["info"]["status"]) == (0.0, True, "skipped")
    client.close()
    assert len(served.pool) == 0


def test_environments_are_apart_and_their_names_cannot_be_guessed(serve: Serve) -> None:
    served = serve(make_app=make_app)
    first, second = Client(served), Client(served)
    first.reset(0)
    second.reset(0)
    first.step("echo mine > /tmp/mine")
    assert "No such file" in second.step("cat /tmp/mine")["state"]
    assert len(first.env_id) >= 20
    first.env_id = "0"
    with pytest.raises(ConnectionError, match="404"):
        first.observe()


def test_a_failure_of_the_machine_is_an_error_and_no_reward(serve: Serve) -> None:
    client = Client(serve(make_app=make_app))
    client.reset(0)
    with pytest.raises(ConnectionError, match="500") as caught:
        client.step("break the sandbox")
    assert SECRET not in str(caught.value)
    assert client.reset(0) == [STARTER[0].query, None]


def test_what_cannot_be_is_told_by_its_status(serve: Serve) -> None:
    served = serve(make_app=make_app, max_sessions=1)
    client = Client(served)
    with pytest.raises(ConnectionError, match="503"):  # after which their clients ask again
        Client(served)
    for ask in (client.observe, lambda: client.step("ls"), lambda: client.reset(10**6)):
        with pytest.raises(ConnectionError, match="400"):
            ask()
