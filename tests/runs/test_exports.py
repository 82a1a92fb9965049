"""Runs in other people's formats, read by those people's own programs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import atif
import pyarrow.parquet
import pytest
from inspect_ai.log import read_eval_log
from sample_trajectories import call, episode, run, turn

from intercode.errors import UnknownNameError
from intercode.report import exports
from intercode.report.export import RunData, choose_episodes
from intercode.report.exports.conversation.messages import conversations
from intercode.report.exports.conversation.tokens import segments
from intercode.runs.store import StoredRun
from intercode.types import SCORINGS, Scoring, Trajectory, shown_rewards
from intercode.types.conversation import Tokens, Tool, ToolCall

FIRST = call("```bash\nls\n```", ("system", "You use bash."), ("user", "Do t/1."), cost=0.25)
SECOND = call("submit", ("user", "a.txt"), kept=3, cost=0.5)
ASKED = episode(
    "t/1",
    1.0,
    turn("ls", "a.txt", calls=(FIRST,), started=0.5, thought="look"),
    turn("submit", exit_code=None, value=1.0, calls=(SECOND,), started=1.0),
    difficulty="easy",
)
TYPED = episode("t/2", 0.25, turn("echo \udc80", "\udc80"), turn("submit 42", value=0.25), agent="human")
BROKEN = episode("t/3", None, turn("ls"), status="error", error="SandboxError: gone")


@pytest.fixture
def stored(tmp_path: Path) -> StoredRun:
    return run(tmp_path / "run", [ASKED, TYPED, BROKEN])


def export(form: str, stored: StoredRun, path: Path, min_reward: float | None = None) -> str:
    found = exports.find(form)
    episodes = choose_episodes(stored.episodes, found, "exact", min_reward)
    return found.write(RunData("run", stored.manifest, episodes, "exact"), path)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_unknown_format_lists_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match="atif, harbor, inspect, openai, parquet, sharegpt"):
        exports.find("pickle")


def test_every_atif_document_is_valid_and_holds_the_whole_episode(stored: StoredRun, tmp_path: Path) -> None:
    export("atif", stored, tmp_path / "out")
    documents = [atif.Trajectory.model_validate_json(path.read_text()) for path in sorted((tmp_path / "out").iterdir())]
    assert [document.schema_version for document in documents] == ["ATIF-v1.8"] * 3
    asked, typed, broken = documents
    assert [step.source for step in asked.steps] == ["system", "user", "agent", "agent"]
    assert (asked.agent.model_name, asked.final_metrics and asked.final_metrics.total_cost_usd) == ("toy-1", 0.75)
    assert asked.steps[2].tool_calls is not None
    assert asked.steps[2].tool_calls[0].arguments == {"code": "ls"}
    assert asked.extra is not None
    assert (asked.extra["reward"], asked.extra["seed"], asked.extra["success"]) == (1.0, 7, True)
    assert typed.steps[0].message == "Do t/2."
    assert typed.steps[1].llm_call_count == 0
    assert typed.steps[2].tool_calls is not None
    assert typed.steps[2].tool_calls[0].arguments == {"answer": "42"}
    assert broken.notes == "broken by the machine: SandboxError: gone"
    assert broken.extra is not None
    assert broken.extra["reward"] is None


def test_a_job_of_harbors_has_a_trial_for_each_episode_with_its_rewards_and_errors(
    stored: StoredRun, tmp_path: Path
) -> None:
    assert export("harbor", stored, tmp_path / "job") == "3 trials"
    job = json.loads((tmp_path / "job/result.json").read_text())
    trials = sorted(path.name for path in (tmp_path / "job").iterdir() if path.is_dir())
    (judged,) = (each for name, each in job["stats"]["evals"].items() if name.startswith("human"))
    assert (judged["metrics"], judged["reward_stats"]["reward"]) == ([{"mean": 0.25}], {"0.25": [trials[1]]})
    assert [(path / "verifier/reward.json").exists() for path in map((tmp_path / "job").joinpath, trials)] == [
        True,
        True,
        False,
    ]
    broken = json.loads((tmp_path / "job" / trials[2] / "result.json").read_text())
    assert broken["exception_info"]["exception_type"] == "SandboxError"
    assert broken["verifier_result"] is None
    assert (job["stats"]["n_errored_trials"], job["stats"]["cost_usd"]) == (1, 0.75)


def test_atif_has_tokens_as_the_server_numbered_them(tmp_path: Path) -> None:
    answered = call("ls", ("user", "go"), tokens=Tokens(("l", "s"), (5, 6), (-0.5, -0.25), (1, 2)))
    stored = run(tmp_path / "run", [episode("t/1", 1.0, turn("ls", value=1.0, calls=(answered,)))])
    export("atif", stored, tmp_path / "out")
    (path,) = (tmp_path / "out").iterdir()
    metrics = atif.Trajectory.model_validate_json(path.read_text()).steps[-1].metrics
    assert metrics is not None
    assert (metrics.prompt_token_ids, metrics.completion_token_ids, metrics.logprobs) == (
        [1, 2],
        [5, 6],
        [-0.5, -0.25],
    )


def test_openai_lines_are_conversations_that_end_with_the_agent_and_say_what_to_learn(
    stored: StoredRun, tmp_path: Path
) -> None:
    export("openai", stored, tmp_path / "out.jsonl")
    asked, typed = lines(tmp_path / "out.jsonl")
    assert [message["role"] for message in asked["messages"]] == ["system", "user", "assistant", "user", "assistant"]
    assert [message.get("weight") for message in asked["messages"]] == [None, None, 1, None, 1]
    assert [message["content"] for message in typed["messages"]] == [
        "Do t/2.",
        "```bash\necho ?\n```",
        "?",
        "submit 42",
    ]


def test_a_model_that_called_functions_is_exported_with_those_it_could_call(tmp_path: Path) -> None:
    """OpenAI's fine-tuning refuses calls of functions that the line does not describe."""
    run_command = Tool("run_command", "Run it.", {"type": "object", "properties": {"command": {"type": "string"}}})
    called = ToolCall("c1", "run_command", '{"command": "ls"}')
    asked = replace(call("", ("user", "Do t/1.")), tools=(run_command,))
    asked = replace(asked, reply=replace(asked.reply, tool_calls=(called,)))
    played = run(tmp_path / "run", [episode("t/1", 1.0, turn("ls", value=1.0, calls=(asked,))), TYPED])
    expected = {"name": run_command.name, "description": "Run it.", "parameters": run_command.parameters}
    export("openai", played, tmp_path / "openai.jsonl")
    line, typed = lines(tmp_path / "openai.jsonl")
    assert line["tools"] == [{"type": "function", "function": expected}]
    assert line["messages"][-1]["tool_calls"][0]["function"]["name"] == "run_command"
    assert "tools" not in typed
    export("sharegpt", played, tmp_path / "sharegpt.jsonl")
    assert json.loads(lines(tmp_path / "sharegpt.jsonl")[0]["tools"]) == [expected]
    assert export("atif", played, tmp_path / "atif") == "2 trajectories"
    document = json.loads(next((tmp_path / "atif").glob("00001-*")).read_text())
    atif.Trajectory.model_validate(document)
    assert document["agent"]["tool_definitions"] == line["tools"]


def test_with_a_least_reward_only_what_was_judged_so_is_exported(stored: StoredRun, tmp_path: Path) -> None:
    assert export("openai", stored, tmp_path / "out.jsonl", min_reward=1.0) == "1 conversation"
    assert len(lines(tmp_path / "out.jsonl")) == 1
    export("atif", stored, tmp_path / "all", min_reward=0.0)
    assert len(list((tmp_path / "all").iterdir())) == 2  # the broken one has no reward, which is not 0


def test_answers_in_demonstrations_are_not_learnt(tmp_path: Path) -> None:
    shown = call("ls", ("user", "example"), ("assistant", "pwd"), ("user", "go"))
    (found,) = conversations(episode("t/1", 1.0, turn("ls", value=1.0, calls=(shown,))))
    assert [line.learn for line in found] == [False, False, False, True]


def test_a_model_that_was_told_less_at_a_later_turn_had_two_conversations() -> None:
    cut = call("pwd", ("user", "in short"), kept=1)
    played = episode("t/1", 1.0, turn("ls", calls=(FIRST,)), turn("pwd", value=1.0, calls=(cut,)))
    first, second = conversations(played)
    assert [line.message.text for line in second] == ["You use bash.", "in short", "pwd"]
    assert [line.learn for line in first] == [False, False, True]
    assert [line.learn for line in second] == [False, False, True]


def searched(tokens: bool = False) -> Trajectory:
    """Two candidates for one turn, of which the second was chosen."""

    def tokens_of(*ids: int) -> Tokens | None:
        return Tokens((), ids, (), (1, 2)) if tokens else None

    asked = (("user", "Do t/1."),)
    calls = (
        call("```bash\nrm x\n```", *asked, tokens=tokens_of(3)),
        call("```bash\nls\n```", kept=1, tokens=tokens_of(4)),
        call("2", ("user", "Which?"), kept=1, tokens=tokens_of(5)),
    )
    return episode("t/1", 1.0, turn("ls", calls=calls), turn("submit", value=1.0), agent="tree-search")


def test_candidates_that_were_not_taken_are_not_learnt(tmp_path: Path) -> None:
    found = [[(line.message.text, line.learn) for line in lines] for lines in conversations(searched())]
    assert found == [
        [("Do t/1.", False), ("```bash\nls\n```", True)],
        [("Do t/1.", False), ("Which?", False), ("2", True)],
    ]
    assert [segment.response_ids for segment in segments(searched(tokens=True))] == [(4,), (5,)]


def test_atif_tells_the_candidate_that_was_taken_and_all_that_were_asked_for(tmp_path: Path) -> None:
    export("atif", run(tmp_path / "run", [searched()]), tmp_path / "out")
    (path,) = (tmp_path / "out").iterdir()
    step = atif.Trajectory.model_validate_json(path.read_text()).steps[1]
    assert (step.message, step.llm_call_count) == ("```bash\nls\n```", 3)
    assert step.metrics is not None
    assert step.metrics.prompt_tokens == 30


def test_sharegpt_lines_have_speakers_rewards_and_tools(stored: StoredRun, tmp_path: Path) -> None:
    export("sharegpt", stored, tmp_path / "out.jsonl")
    asked, typed = lines(tmp_path / "out.jsonl")
    assert [part["from"] for part in asked["conversations"]] == ["system", "human", "gpt", "human", "gpt"]
    assert (asked["reward"], typed["reward"], typed["success"]) == (1.0, 0.25, False)


@pytest.mark.parametrize("leading", SCORINGS)
def test_inspect_shows_the_leading_scoring_first(stored: StoredRun, tmp_path: Path, leading: Scoring) -> None:
    """Of a log it shows the first score, and beside each sample as well."""
    found = exports.find("inspect")
    found.write(RunData("run", stored.manifest, stored.episodes, leading), tmp_path / "out.eval")
    log = read_eval_log(str(tmp_path / "out.eval"))
    assert log.results is not None
    assert [score.name for score in log.results.scores] == shown_rewards(leading)
    assert [list(sample.scores) for sample in log.samples or () if sample.scores] == [shown_rewards(leading)] * 2


def test_inspect_reads_its_log_with_scores_usage_and_errors(stored: StoredRun, tmp_path: Path) -> None:
    export("inspect", stored, tmp_path / "out.eval")
    log = read_eval_log(str(tmp_path / "out.eval"))
    assert log.samples is not None
    assert log.results is not None
    asked, typed, broken = sorted(log.samples, key=lambda sample: sample.id)
    assert asked.scores is not None
    assert (asked.scores["exact"].value, asked.model_usage["toy-1"].input_tokens) == (1.0, 20)
    assert [message.role for message in asked.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert typed.metadata["actions"][-1] == "submit 42"
    assert broken.error is not None
    assert broken.scores is None
    success = {score.name: score.metrics["success"].value for score in log.results.scores}
    assert success == {"paper": 0.5, "exact": 0.5}


def test_parquet_has_a_row_for_each_episode_and_its_turns_within(stored: StoredRun, tmp_path: Path) -> None:
    export("parquet", stored, tmp_path / "out.parquet")
    asked, typed, broken = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert (asked["exact"], asked["cost"], typed["exact"], broken["exact"]) == (1.0, 0.75, 0.25, None)
    assert [each["action"] for each in asked["turns"]] == ["ls", ""]
    assert [line["learn"] for line in asked["conversations"][0]] == [False, False, True, False, True]
    assert (asked["segments"], broken["error"]) == ([], "SandboxError: gone")


def tokens_of(prompt: tuple[int, ...], ids: tuple[int, ...]) -> Trajectory:
    tokens = Tokens(tuple(map(str, ids)), ids, (-1.0,) * len(ids), prompt)
    return episode("t/1", 1.0, turn("x", calls=(call("x", tokens=tokens),)))


def test_tokens_put_between_two_answers_are_masked_and_a_prompt_that_begins_anew_begins_a_segment() -> None:
    turns = [*tokens_of((1, 2), (3, 4)).turns, *tokens_of((1, 2, 3, 4, 5), (6,)).turns, *tokens_of((1, 9), (7,)).turns]
    long, short = segments(episode("t/1", 1.0, *turns))
    assert (long.prompt_ids, long.response_ids, long.response_mask) == ((1, 2), (3, 4, 5, 6), (1, 1, 0, 1))
    assert long.response_logprobs == (-1.0, -1.0, 0.0, -1.0)
    assert (short.prompt_ids, short.response_ids) == ((1, 9), (7,))


def test_without_tokens_there_are_no_segments() -> None:
    assert list(segments(ASKED)) == []
