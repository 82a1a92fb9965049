"""Trajectories as JSON: whatever a trajectory holds comes back exactly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.errors import BadDataError
from intercode.report.summary import summarize
from intercode.report.turns import by_turn
from intercode.runs import outlines
from intercode.types import SCORINGS, Action, Observation, Score, TaskView, Trajectory, Trial, Turn, trajectories
from intercode.types.conversation import Message, ModelCall, Reply, Role, Tokens, Tool, ToolCall, Usage, conversations

text = st.text(st.characters())
label = st.text()
numbers = st.floats(0.0, 1e11)
whole = st.integers(-(2**63) + 1, 2**63 - 1)
scores = st.none() | st.fixed_dictionaries(
    {
        "paper": st.builds(Score, numbers, st.booleans(), st.dictionaries(text, numbers), st.tuples(text)),
        "exact": st.builds(Score, numbers, st.booleans(), st.dictionaries(text, numbers), st.just(())),
    }
)
roles: list[Role] = ["system", "user", "assistant", "tool"]
some = st.integers(0, 2**53)
usages = st.builds(Usage, some, some, some, st.none() | numbers)
tool_calls = st.lists(st.builds(ToolCall, text, text, text), max_size=2).map(tuple)
tokens = st.builds(Tokens, *(st.lists(each, max_size=2).map(tuple) for each in (text, some, numbers)), st.just((1, 2)))
replies = st.builds(
    Reply,
    text,
    tool_calls,
    text,
    text,
    usages,
    text,
    numbers,
    st.integers(1, 9),
    st.none() | tokens,
    st.dictionaries(text, text | st.none() | numbers | st.lists(some, max_size=2)),
)
messages = st.builds(Message, st.sampled_from(roles), text, tool_calls, text)
tools = st.builds(Tool, text, text, st.dictionaries(text, text | st.dictionaries(text, text)))
calls = st.builds(
    ModelCall,
    st.integers(0, 3),
    st.lists(messages, max_size=2).map(tuple),
    replies,
    st.lists(tools, max_size=2).map(tuple),
)
actions = st.builds(Action, st.sampled_from(["execute", "submit", "skip", "nothing"]), text)
observations = st.builds(Observation, text, st.none() | whole, st.booleans(), st.booleans(), numbers)
trials = st.builds(Trial, actions, observations, st.none() | numbers, st.booleans(), st.booleans())
turns = st.builds(
    Turn,
    actions,
    observations,
    numbers,
    scores,
    text,
    numbers,
    text,
    st.lists(calls, max_size=2).map(tuple),
    st.lists(trials, max_size=2).map(tuple),
)
episodes = st.builds(
    Trajectory,
    st.builds(TaskView, label, text, label, label, label),
    label,
    st.sampled_from(["submitted", "truncated", "skipped", "error"]),
    st.lists(turns, max_size=3).map(tuple),
    scores,
    st.none() | whole,
    whole,
    label,
    numbers,
    numbers,
    text,
    st.dictionaries(text, numbers),
    usages,
)


@given(episodes)
def test_an_episode_comes_back_exactly_from_one_line(episode: Trajectory) -> None:
    line = trajectories.dumps(episode)
    assert "\n" not in line
    assert "\r" not in line
    assert trajectories.loads(line) == episode


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("[]", "a JSON list"),
        ("{}", "'task' is missing"),
        ('{"task": {"id": "x"}}', "query"),
        ('{"task": 3}', "not an episode"),
    ],
)
def test_what_is_no_episode_is_refused_with_the_reason(line: str, says: str) -> None:
    with pytest.raises(BadDataError, match=says):
        trajectories.loads(line)


def test_a_field_of_another_version_is_named() -> None:
    episode = Trajectory(TaskView("a/1", "?", "bash"), "x", "submitted", ())
    line = trajectories.dumps(episode).replace('"agent"', '"who"')
    with pytest.raises(BadDataError, match="'agent' is missing"):
        trajectories.loads(line)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match=r"nothing\.jsonl: No such file"):
        trajectories.read(tmp_path / "nothing.jsonl")


def test_an_episode_of_before_there_were_models_is_read() -> None:
    """Lines of earlier versions have `usage`, always empty, at each turn, and no `calls`."""
    episode = Trajectory(TaskView("a/1", "?", "bash"), "x", "submitted", (Turn(Action("submit"), Observation("")),))
    data = episode.as_dict()
    del data["usage"], data["turns"][0]["calls"]
    data["turns"][0]["usage"] = {}
    assert trajectories.from_json(data) == episode


def test_each_question_is_put_together_again_from_what_was_new_in_it() -> None:
    ask, look, hint = (Message("user", word) for word in ("ask", "look", "hint"))
    first, second, third = (Reply(word) for word in ("one", "two", "three"))
    calls = (ModelCall(0, (ask,), first), ModelCall(2, (look,), second), ModelCall(1, (hint,), third))
    one = Message("assistant", "one")
    assert list(conversations(calls)) == [((ask,), first), ((ask, one, look), second), ((ask, hint), third)]


def test_usage_adds_up_and_an_unknown_price_stays_unknown() -> None:
    turn = Turn(
        Action("submit"),
        Observation(""),
        calls=tuple(ModelCall(0, (), Reply("", usage=Usage(10, 2, 4, cost))) for cost in (0.5, 0.25)),
    )
    assert turn.usage == Usage(20, 4, 8, 0.75)
    assert (turn.usage + Usage(1, 1, 0, None)).cost is None
    assert turn.usage.tokens == 24


@given(episodes)
def test_a_file_is_read_as_its_lines_are(episode: Trajectory) -> None:
    """The quick way of reading and the slow one come to the same, odd characters included."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "episodes.jsonl")
        path.write_text(trajectories.dumps(episode) + "\n", encoding="ascii")
        assert trajectories.read(path) == ((episode,), b"")


@given(st.lists(episodes, max_size=3))
def test_outlines_come_to_the_same_figures_without_what_was_seen_and_said(played: list[Trajectory]) -> None:
    found = [outlines.read(trajectories.dumps(each).encode()) for each in played]
    assert [outlines.outline(each) for each in played] == found
    for scoring in SCORINGS:
        assert by_turn(found, scoring) == by_turn(played, scoring)
        assert repr(summarize(found, scoring)) == repr(summarize(played, scoring))  # a NaN is no other's equal
    turns = [turn for each in found for turn in each.turns]
    assert not any(turn.observation.text or turn.thought for turn in turns)
    assert not any(call.sent or call.reply.text or call.reply.raw for turn in turns for call in turn.calls)


def test_a_line_that_is_no_episode_is_named_with_its_file(tmp_path: Path) -> None:
    good = trajectories.dumps(Trajectory(TaskView("a/1", "?", "bash"), "x", "submitted", ()))
    (tmp_path / "episodes.jsonl").write_text(f'{good}\n{{"task": 3}}\n{good}\n')
    with pytest.raises(BadDataError, match=r"episodes\.jsonl, line 2: not an episode"):
        trajectories.read(tmp_path / "episodes.jsonl")


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("seconds", -1.0, "seconds: -1.0 is not a time"),
        ("seconds", float("nan"), "seconds: nan is not a time"),
        ("started_at", 1e300, r"started_at: 1e\+300 is not a time"),
        ("repeat", 2**70, "repeat: expected a whole number of at most 63 bits, not one of 71"),
        ("agent", "\ud800", r"agent: '\\ud800' is not Unicode text"),
        ("scores", {}, "scores: no reward has judged"),
        (
            "scores",
            {"exact": Score(1.0, True), "[bold]": Score(0.0, False)},
            "scores: '\\[bold\\]' is not the",
        ),
        ("scores", {"x" * 81: Score(1.0, True)}, "scores: 'x+' is not the name of a reward"),
        ("scores", {"exact": Score(1e200, True), "paper": Score(0.0, False)}, "scores: 1e\\+200 is out of range"),
        ("usage", Usage(2**70), "usage: expected a whole number"),
        ("turns", (Turn(Action("submit"), Observation("", 2**70)),), r"turns\[0\]\.observation\.exit_code: expected"),
    ],
)
def test_a_value_that_no_episode_has_is_refused_with_its_line_and_field(
    tmp_path: Path, field: str, value: object, says: str
) -> None:
    good = Trajectory(TaskView("a/1", "?", "bash"), "x", "submitted", ())
    lines = [trajectories.dumps(each) for each in (good, replace(good, **{field: value}))]  # type: ignore[arg-type]
    (tmp_path / "episodes.jsonl").write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(BadDataError, match=rf"episodes\.jsonl, line 2: {says}"):
        trajectories.read(tmp_path / "episodes.jsonl")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000])
def test_what_is_nested_too_deeply_to_be_read_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadDataError, match="not JSON"):
        trajectories.loads(text)
