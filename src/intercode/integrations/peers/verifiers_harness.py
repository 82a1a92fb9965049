"""The agent of `verifiers` that plays: a loop of messages and tool calls whose replies are somebody else's.

verifiers finds it as a harness by this module's name. It runs in the process of the environment, and every reply goes
through verifiers' own interception, so that its limits and its `@stop` hooks hold.
"""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from typing import Any

import httpx
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.harnesses.utils.mcp import call_mcp, connect_mcp

SECONDS = 120.0

NOT_OVER = 1
"""The exit status of a segment whose last request was refused, unless that has ended the episode."""


class RepliesHarnessConfig(vf.HarnessConfig):
    """No settings of its own."""


class RepliesHarness(vf.Harness[RepliesHarnessConfig]):
    """Sends the conversation to the endpoint until a reply calls no tool."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_MCP = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self, ctx: vf.ModelContext, trace: vf.Trace, runtime: vf.Runtime, endpoint: str, secret: str,
        mcp_urls: dict[str, str], data: vf.TaskData,
    ) -> vf.ProgramResult:  # fmt: skip
        """Play one segment. See `Harness.launch`."""
        messages = self._opening(data)
        headers = {"Authorization": f"Bearer {secret}"}
        servers = {"mcpServers": {name: {"url": url, "timeout": SECONDS} for name, url in mcp_urls.items()}}
        async with httpx.AsyncClient(timeout=SECONDS, verify=False) as client, AsyncExitStack() as stack:
            tools, places, connections = await connect_mcp(servers, stack)
            offered = {"tools": tools} if tools else {}
            while True:
                body = {"model": ctx.model, "messages": messages, **offered}
                response = await client.post(f"{endpoint}/chat/completions", json=body, headers=headers)
                if response.status_code != 200:
                    status = 0 if trace.stop_condition else NOT_OVER
                    return vf.ProgramResult(status, "", response.text[-500:])
                message = response.json()["choices"][0]["message"]
                messages.append(message)
                if not message.get("tool_calls"):
                    return vf.ProgramResult(0, "", "")
                for call in message["tool_calls"]:
                    name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
                    known = name in places
                    said = await call_mcp(connections, places, name, arguments) if known else f"no tool called {name}"
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": said})

    def _opening(self, data: vf.TaskData) -> list[dict[str, Any]]:
        system, prompt = self.resolve_prompt(data)
        messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            return [*messages, {"role": "user", "content": prompt}]
        return [*messages, *(each if isinstance(each, dict) else message_to_wire(each) for each in prompt or [])]


__all__ = ["RepliesHarness", "RepliesHarnessConfig"]
