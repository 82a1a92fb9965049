"""What other programs have written is opened too: our own exports come back as what they were."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from made_runs import episode, turn, varied, write

from intercode.errors import BadDataError
from intercode.report.export import RunData
from intercode.report.exports import atif
from intercode.runs import store
from intercode.view.library import RunLibrary


def data(folder: Path) -> RunData:
    run = store.read(write(folder, varied()))
    return RunData("run", run.manifest, run.episodes, "exact")


def test_a_folder_of_atif_is_a_run(tmp_path: Path) -> None:
    atif.write(data(tmp_path / "run"), tmp_path / "atif")
    found = RunLibrary.open([tmp_path / "atif"])
    index = found.find("atif")
    assert {entry.outline.task.id for entry in index.entries()} == {each.task.id for each in varied()}
    line = json.loads(index.line(("toy/lost", 0)))
    assert line["turns"][0]["action"] == {"kind": "execute", "text": "ls"}
    assert line["turns"][0]["observation"]["text"] == "a\nb\n"
    assert line["scores"]["exact"]["value"] == 0.25
    found.close()
    assert not index.folder.exists()


def test_one_document_of_another_program(tmp_path: Path) -> None:
    steps = [
        {"step_id": 1, "source": "user", "message": "Count the files."},
        {
            "step_id": 2,
            "source": "agent",
            "timestamp": "2026-01-01T00:00:00Z",
            "message": "I look.",
            "tool_calls": [{"tool_call_id": "a", "function_name": "bash", "arguments": {"command": "ls"}}],
            "observation": {"results": [{"source_call_id": "a", "content": [{"type": "text", "text": "a"}]}]},
        },
    ]
    document = {"schema_version": "ATIF-v1.5", "session_id": "x", "agent": {"name": "theirs"}, "steps": steps}
    (tmp_path / "one.json").write_text(json.dumps(document))
    found = RunLibrary.open([tmp_path / "one.json"])
    (entry,) = found.find("one.json").entries()
    line = json.loads(found.find("one.json").line(("one", 0)))
    assert (entry.outline.agent, line["task"]["query"]) == ("theirs", "Count the files.")
    assert (line["turns"][0]["action"]["text"], line["turns"][0]["thought"]) == ("ls", "I look.")
    found.close()


@pytest.mark.parametrize("text", ['{"schema_version": "ATIF-v1.7"', '{"schema_version": "ATIF-v1.7", "steps": 3}'])
def test_what_is_no_trajectory_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(BadDataError, match=r"bad\.json (is not an ATIF trajectory|holds no episode)"):
        RunLibrary.open([tmp_path / "bad.json"])


def test_a_log_of_inspect_is_a_run(tmp_path: Path) -> None:
    inspect = pytest.importorskip("intercode.report.exports.inspect", reason="inspect-ai is not installed")
    inspect.write(data(tmp_path / "run"), tmp_path / "log.eval")
    found = RunLibrary.open([tmp_path / "log.eval"])
    entries = {entry.outline.task.id: entry.outline for entry in found.find("log.eval").entries()}
    assert entries["toy/lost"].value("exact") == 0.25
    assert entries["toy/broken"].status == "error"
    found.close()


EVALUATION = """
import sys
import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash

commands = ["ls /nowhere", "echo fine", "sleep 60"]
replies = [ModelOutput.for_tool_call("mockllm/model", "bash", {"command": each}) for each in commands]
replies.append(ModelOutput.from_content("mockllm/model", "done"))
for each in replies:
    each.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else a tokenizer is downloaded
solver = [use_tools(bash(timeout=5)), generate()]
task = inspect_ai.Task([Sample("do it", id="a")], solver=solver, sandbox="local")
model = get_model("mockllm/model", custom_outputs=replies)
inspect_ai.eval(task, model=model, display="none", log_dir=sys.argv[1])
"""


def test_a_log_of_inspect_tells_exit_codes(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    subprocess.run([sys.executable, "-c", EVALUATION, str(tmp_path)], check=True, timeout=120)
    (log,) = tmp_path.glob("*.eval")
    library = RunLibrary.open([log])
    index = library.find(log.name)
    (entry,) = index.entries()
    seen = [turn.observation for turn in entry.outline.turns]
    assert [(each.exit_code, each.timed_out) for each in seen] == [
        (2, False),
        (0, False),
        (None, True),
        (None, False),
    ]
    library.close()


def test_a_broken_log_of_inspect_is_named(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    (tmp_path / "log.eval").write_bytes(b"not a zip")
    with pytest.raises(BadDataError, match="as a log of Inspect"):
        RunLibrary.open([tmp_path / "log.eval"])


def test_turns_without_a_tool_are_what_was_said(tmp_path: Path) -> None:
    made = episode("toy/a", turn("ls"))
    run = store.read(write(tmp_path / "run", [made]))
    document = atif.document(RunData("run", run.manifest, run.episodes, "exact"), made)
    document["steps"][-1].pop("tool_calls")
    (tmp_path / "one.json").write_text(json.dumps(document))
    found = RunLibrary.open([tmp_path / "one.json"])
    assert json.loads(found.find("one.json").line(("toy/a", 0)))["turns"][0]["action"]["kind"] == "nothing"
    found.close()
