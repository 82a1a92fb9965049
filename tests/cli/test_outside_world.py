"""A whole world from another package: its language, data set, reward and description, and no file of ours edited.

It is what is installed from `outside/`: the package `abacus`, whose `entry_points.txt` registers it in one line.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from terminal import in_process, intercode

sys.path.append(str(Path(__file__).parents[1] / "models"))

from openai_server import Json, Server

from intercode import registry, world_specs
from intercode.agents import parsers
from intercode.agents.human import HumanAgent
from intercode.report import exports
from intercode.report.actions import steps
from intercode.runs import store

OUTSIDE = Path(__file__).parent / "outside"
SUM = "abacus/sum"
AGENTS = ("single-turn", "try-again", "plan-solve", "react", "tool-use", "tree-search")


def answer(request: Json) -> Json:
    """What a model says that knows the abacus: at first also a block of Bash, at some seeds only a look around."""
    from abacus.tasks import TASKS

    texts = [str(message.get("content") or "") for message in request["messages"]]
    gold = next(gold for query, gold in TASKS.values() if any(query in text for text in texts))
    acted = any(gold in json.dumps(message).replace("\\\\n", "\n").replace("\\n", "\n") for message in _own(request))
    number = next(iter(re.findall(r"-?\d+", texts[-1])), "")
    if "Answer with its number" in texts[-1]:
        found = re.search(rf"### (\d+)\n```\n{re.escape(gold)}", texts[-1])
        return {"content": found[1] if found else "1"}
    if "Make a plan" in texts[-1]:
        return {"content": "1. Do it."}
    if tools := request.get("tools"):
        name, properties = tools[0]["function"]["name"], tools[0]["function"]["parameters"]["properties"]
        assert (name, [*properties], len(tools[1]["function"]["parameters"]["properties"])) == (
            "move_beads",
            ["moves"],
            1,
        )
        return _call("submit", {"answer": number}) if acted else _call(name, {"moves": gold})
    if acted:
        return {"content": f"Thought: done\nAction: submit {number}" if "Observation" in texts[-1] else "submit"}
    looks = "several of your" in " ".join(texts[0].lower().split()) and request["seed"] % 2
    code = "list" if looks else gold
    return {"content": f"Thought: not\n```bash\nrm -r /abacus\n```\nbut\nAction:\n```abacus\n{code}\n```"}


def _own(request: Json) -> list[Json]:
    return [message for message in request["messages"] if message["role"] == "assistant"]


def _call(name: str, arguments: dict[str, str]) -> Json:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"content": None, "tool_calls": [{"id": "call-1", "type": "function", "function": function}]}


@pytest.fixture(scope="module", autouse=True)
def installed() -> Iterator[None]:
    """What is installed is looked up once in a process; here it changes."""
    sys.path.insert(0, str(OUTSIDE))
    registry._outside.cache_clear()
    yield
    sys.path.remove(str(OUTSIDE))
    registry._outside.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "abacus"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server(answer=answer)
    yield server
    server.close()


@pytest.fixture(scope="module")
def golds(tmp_path_factory: pytest.TempPathFactory, installed: None) -> Path:
    """A run of the golds, on the world's usual data set."""
    run = tmp_path_factory.mktemp("outside") / "golds"
    said("run", "--world", "abacus", "--out", run)
    return run


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory, installed: None) -> Path:
    """A run of a script that looks around first and then gets one task wrong."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "script.json").write_text(json.dumps({"moves": {SUM: ["list", "show apples", "add apples figs"]}}))
    script = ["--agent", "scripted", "--agent-option", f"script={folder / 'script.json'}", "--tasks", SUM]
    said("run", "--world", "abacus", *script, "--out", folder / "run")
    return folder / "run"


def said(*words: str | Path, status: int = 0) -> str:
    found, out, err = in_process(*words)
    assert found == status, f"{out}\n{err}"
    return out


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_that_asks_a_model_plays_it(agent: str, server: Server, tmp_path: Path) -> None:
    """It is told what the world is, answers in its language, and meets every request."""
    model = ["--model", "knows-the-abacus", "--base-url", server.url]
    before = len(server.requests)
    said("run", "--world", "abacus", "--agent", agent, *model, "--out", tmp_path / "run")
    episodes = store.read(tmp_path / "run").episodes
    assert [(each.success("exact"), each.error) for each in episodes] == [(True, "")] * 3
    assert all("rm -r" not in turn.action.text for each in episodes for turn in each.turns)
    system = server.requests[before]["messages"][0]["content"]
    assert "You work on an abacus whose rods have names." in system
    assert "- The moves: `put ROD NUMBER`" in system
    assert "{{" not in str(server.requests[before:])


def test_the_oracle_the_script_and_the_replay_play_it(golds: Path, looks: Path, tmp_path: Path) -> None:
    assert all(each.success("exact") for each in store.read(golds).episodes)
    (episode,) = store.read(looks).episodes
    assert [turn.observation.text for turn in episode.turns[:2]] == ["apples 17\nfigs 5\npears 25\n", "17\n"]
    assert episode.scores is not None
    assert {name: score.value for name, score in episode.scores.items()} == {"exact": 0, "paper": 0}
    again = ["--agent", "replay", "--agent-option", f"file={golds}"]
    said("run", "--world", "abacus", *again, "--out", tmp_path / "again")
    assert all(each.success("exact") for each in store.read(tmp_path / "again").episodes)


def test_a_person_plays_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A backslash ends a line, and is no part of this language."""
    typed = iter(["add apples pears \\", "show apples", "submit 42"])
    monkeypatch.setattr(HumanAgent, "ask", staticmethod(lambda prompt: next(typed)))
    monkeypatch.setenv("INTERCODE_STATE", str(tmp_path))
    shown = said("play", SUM, "--world", "abacus", "--record", tmp_path / "mine")
    assert "42\n" in shown
    assert "success" in shown
    (episode,) = store.read(tmp_path / "mine").episodes
    assert episode.turns[0].action.text == "add apples pears \nshow apples"


def test_it_is_listed_shown_reported_and_compared(golds: Path, looks: Path) -> None:
    assert "Add the pears to the apples" in said("tasks", "abacus")
    assert "abacus" in said("tasks", "abacus", "--tasks", "sum", "--json")
    assert "show apples" in said("show", golds, SUM)
    assert "100.0%" in said("show", golds)
    assert "0.0%" in said("report", golds, looks)
    assert "abacus/sum" in said("compare", golds, looks)


def test_reports_know_what_only_looks_in_it(looks: Path) -> None:
    (episode,) = store.read(looks).episodes
    assert [step.explores for step in steps(episode, "exact")] == [True, True, False]
    by_turn = json.loads(said("errors", looks, "--json"))["by_turn"]
    assert [each["exploring"] for each in by_turn] == [1, 1, 0]


def test_its_runs_are_executed_again_and_certified(golds: Path) -> None:
    assert "everything agrees" in said("replay", golds, "--verify")
    certificate = json.loads((golds / "certificate.json").read_text())
    assert certificate["run"]["world"] == "abacus"


@pytest.mark.parametrize("form", exports.names())
def test_its_runs_are_exported(form: str, golds: Path, tmp_path: Path) -> None:
    said("export", golds, "--format", form, "--out", tmp_path / "out")
    if form == "openai":
        assert "```abacus\\nput figs 0\\n```" in (tmp_path / "out").read_text()
    if form == "atif":
        exported = json.loads(next((tmp_path / "out").glob("*clear*")).read_text())
        assert exported["steps"][1]["tool_calls"][0]["function_name"] == "abacus"


def test_hackcheck_uses_what_the_description_offers(tmp_path: Path) -> None:
    """Adversaries that know no language, and one that runs the world's own commands for looking around."""
    found: dict[str, Any] = json.loads(said("hackcheck", "--world", "abacus", "--limit", "1", "--json"))
    assert found["passes"]
    earned = {each["name"]: each for each in found["tasks"][0]["adversaries"]}
    assert {"submits-at-once", "runs-the-query", "says-a-number", "prints-what-is-there"} <= {*earned}
    assert earned["prints-what-is-there"]["attempts"] == 2
    assert "hands in" in earned["prints-what-is-there"]["best"]


def test_its_language_is_read_in_replies() -> None:
    """A block on one line too, and a demonstration is written as it is read."""
    spec = world_specs.find("abacus")
    assert spec.name == "abacus"
    for strategy in ("single_turn", "react", "tree_search"):
        read = parsers.choose("default", strategy, "abacus")
        for text in ("```abacus show figs```", "```abacus\nshow figs\n```", "```\nshow figs\n```"):
            action = read(text).action
            assert action is not None
            assert action.text == "show figs"
        other = read("```lua\nshow figs\n```\n")
        assert other.action is None


def test_the_installed_program_finds_it() -> None:
    """In a process of its own, where nothing was prepared but the path that packages are found on."""
    done = intercode("run", "--world", "abacus", "--limit", "1", "--json", PYTHONPATH=str(OUTSIDE))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert '"abacus/sum"' in done.stdout
