"""mini-swe-agent on the sandbox: its agent, its models and prompts; its commands run in a session of ours.

pip install mini-swe-agent intercode-sandbox
python examples/mini_swe_agent.py "what to do" --model MODEL
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import yaml
from minisweagent.agents.default import DefaultAgent
from minisweagent.config import builtin_config_dir
from minisweagent.exceptions import Submitted

from intercode_sandbox import EmbeddedSandbox, Session, images

DONE = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


@dataclass(frozen=True)
class SessionConfig:
    """What mini-swe-agent's prompts and stored conversations say of the environment."""

    image: str
    cwd: str = "/"
    timeout: float = 30.0
    env: Mapping[str, str] = field(default_factory=dict)


class SessionEnvironment:
    """mini-swe-agent's environment (`minisweagent.Environment`) over a session."""

    def __init__(self, session: Session, *, cwd: str = "/", timeout: float = 30.0) -> None:
        self._session, self.config = session, SessionConfig(session.image.name, cwd, timeout)

    def execute(self, action: Mapping[str, Any], cwd: str = "") -> dict[str, Any]:
        """Run a command, and end the episode where it says that the work is done."""
        argv = ["/bin/bash", "-c", str(action.get("command", ""))]
        result = self._session.run(argv, cwd=cwd or self.config.cwd, timeout=self.config.timeout)
        first, _, rest = result.text.lstrip().partition("\n")
        if first.strip() == DONE and result.exit_code == 0:
            extra = {"exit_status": "Submitted", "submission": rest}
            raise Submitted({"role": "exit", "content": rest, "extra": extra})
        said = f"the command was killed after {self.config.timeout:g} s" if result.timed_out else ""
        return {"output": result.text, "returncode": result.exit_code, "exception_info": said}

    def get_template_vars(self, **more: Any) -> dict[str, Any]:
        """Return what prompts may ask for."""
        return {**asdict(self.config), **platform.uname()._asdict(), **more}

    def serialize(self) -> dict[str, Any]:
        """Return what is stored with a conversation."""
        return {"info": {"config": {"environment": asdict(self.config), "environment_type": type(self).__name__}}}


def run(task: str, model: Any) -> dict[str, Any]:
    """Have mini-swe-agent do *task* in a fresh session, and return how it ended."""
    settings = yaml.safe_load((builtin_config_dir / "default.yaml").read_text())["agent"]
    with EmbeddedSandbox() as sandbox, sandbox.start(images.find("host")) as session:
        return dict(DefaultAgent(model, SessionEnvironment(session), **settings).run(task))


def main() -> None:
    """Run a task with a model of mini-swe-agent's."""
    from minisweagent.models import get_model

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task")
    parser.add_argument("--model", required=True, help="as mini-swe-agent names it")
    options = parser.parse_args()
    print(run(options.task, get_model(options.model))["submission"])


if __name__ == "__main__":
    main()
