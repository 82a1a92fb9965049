"""The typed client of an InterCode environment: `IntercodeEnv(base_url="http://…").sync()`. Needs OpenEnv."""

from __future__ import annotations

import os
from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from .models import CodeAction, CodeObservation, CodeState

TOKEN_VARIABLE = "INTERCODE_SERVE_TOKEN"


class IntercodeEnv(EnvClient[CodeAction, CodeObservation, CodeState]):
    """A session with a server of InterCode's. Its episodes are nobody else's, and end with the connection.

        with IntercodeEnv(base_url="http://127.0.0.1:8000").sync() as env:
            result = env.reset(task="count-january")
            result = env.step(CodeAction(text="ls /shop"))

    `reset` takes `seed`, `task` (an id, its end, or an index), or `split` and `index`. *token* is the server's, where
    it wants one (None: what INTERCODE_SERVE_TOKEN holds); *options* are those of `EnvClient`.
    """

    def __init__(self, *arguments: Any, token: str | None = None, **options: Any) -> None:
        token = os.environ.get(TOKEN_VARIABLE) if token is None else token
        if token:
            options["headers"] = {**(options.get("headers") or {}), "Authorization": f"Bearer {token}"}
        super().__init__(*arguments, **options)

    def _step_payload(self, action: CodeAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump(exclude_defaults=True)
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[CodeObservation]:
        told = {name: payload.get(name) for name in ("reward", "done")}
        observation = CodeObservation(**payload["observation"], **told)
        return StepResult(observation, observation.reward, observation.done, payload.get("metadata"))

    def _parse_state(self, payload: dict[str, Any]) -> CodeState:
        return CodeState(**payload)
