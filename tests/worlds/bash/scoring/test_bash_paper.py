from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.rewards.core.file_endings import BashEnding, FinalState, Gold
from intercode.types import Score, Task
from intercode.worlds.bash.scoring.paper import entries, paper, sums
from intercode.worlds.bash.scoring.tfidf import similarity

TASK = Task("test/1", "count the files", "ls | wc -l")
DATA = Path(os.environ.get("INTERCODE_DATA", Path(__file__).parents[5] / "shared/data"))


HALF_ALIKE = ("aa bb cc dd dd dd dd dd", "aa aa aa bb bb bb cc cc cc dd")


def judge(agent: FinalState, gold: FinalState, *, corrupt: bool = False, acted: bool = True) -> Score:
    return paper(BashEnding(TASK, agent, Gold(paper=gold, exact=FinalState(), corrupt=corrupt), acted))


statuses = st.lists(
    st.sampled_from([" M a.txt\n", "?? b\n", "?? c.txt\n", "?? d/\n", " D e\n", 'A  "f g"\n', "?? it's\n"]),
    max_size=5,
    unique=True,
).map("".join)
texts = st.sampled_from(["", "1", "one", "one two", "two\none\n", "one one three"])
outcomes = st.builds(
    FinalState,
    answer=st.none() | texts,
    status=statuses,
    sums=st.dictionaries(st.sampled_from(["c.txt"]), st.sampled_from(["x", "y"])),
)


@given(outcomes, outcomes, st.booleans())
def test_the_value_stays_between_0_and_1_and_success_is_exactly_1(
    agent: FinalState, gold: FinalState, corrupt: bool
) -> None:
    score = judge(agent, gold, corrupt=corrupt)
    assert 0 <= score.value <= 1
    assert score.success == (score.value == 1.0)


@given(outcomes)
def test_the_gold_against_itself_scores_1_unless_the_published_program_dies(same: FinalState) -> None:
    died = any(blank in same.status for blank in ('"f g"', "it's"))
    if same.answer is not None:
        assert judge(same, same).value == (0.0 if died else 1.0)


@pytest.mark.parametrize(
    ("differing", "value"),
    [(0, 1.0), (1, 0.01 + 0.05 + 0.33 + 0.33), (2, 0.01 + 0.0 + 0.33 + 0.33), (9, 0.01 + 0.0 + 0.33 + 0.33)],
)
def test_each_entry_that_only_one_side_has_costs(differing: int, value: float) -> None:
    status = "".join(f"?? f{number}\n" for number in range(differing))
    assert judge(FinalState("one", status=status), FinalState("one")).value == value
    assert judge(FinalState("one"), FinalState("one", status=status)).value == value


def test_new_files_with_a_dot_are_compared_by_their_sums() -> None:
    status = "?? a.txt\n?? b.txt\n M c.txt\n"
    gold = FinalState("one", status=status, sums={"a.txt": "1", "b.txt": "2"})
    half = judge(FinalState("one", status=status, sums={"a.txt": "1", "b.txt": "3"}), gold)
    assert half.parts["file_changes"] == 0.17
    assert judge(FinalState("one", status=status, sums={}), gold).parts["file_changes"] == 0.0
    assert judge(gold, gold).value == 1.0


def test_new_files_without_a_dot_and_modified_files_count_as_same() -> None:
    status = "?? new\n?? dir/\n M changed.txt\n"
    assert judge(FinalState("one", status=status), FinalState("one", status=status)).value == 1.0


def test_a_half_alike_answer_is_rounded_as_numpy_rounds() -> None:
    """0.33 times 0.5 is a hair above 0.165, so the built-in `round` would say 0.17."""
    assert similarity(*HALF_ALIKE) == 0.5
    assert judge(FinalState(HALF_ALIKE[0]), FinalState(HALF_ALIKE[1])).parts["answer_similarity"] == 0.16


@pytest.mark.parametrize(
    ("agent", "gold", "value"),
    [
        ("12", "12", 1.0),
        ("12", "13", 0.67),
        ("", "", 1.0),
        ("7", "8", 0.67),
        ("f32a one", "f32a", 0.8600000000000001),
        ("aa bb cc dd ee ff gg hh", "aa", 0.76),
    ],
)
def test_answers_count_by_their_likeness(agent: str, gold: str, value: float) -> None:
    assert judge(FinalState(agent), FinalState(gold)).value == value


@pytest.mark.parametrize("status", ['?? "two words.txt"\n', "?? it's\n", ' D "system/special text3.txt"\n'])
def test_where_the_published_program_dies_the_value_is_0_and_says_so(status: str) -> None:
    score = judge(FinalState("one", status=status), FinalState("one", status=status))
    assert (score.value, score.success) == (0.0, False)
    assert "exception" in score.notes[0]


def test_two_paths_with_blanks_make_an_even_number_of_words_and_score() -> None:
    status = '?? "a b"\n?? "c d"\n'
    assert entries(status) == {('"a', "??"), ("??", 'b"'), ('d"', '"c')}


def test_a_corrupt_gold_has_no_text_to_be_like() -> None:
    score = judge(FinalState(""), FinalState(None), corrupt=True)
    assert score.value == 0.67
    assert score.notes == ("the gold is corrupt",)


def test_where_nothing_was_run_the_query_is_the_answer() -> None:
    assert judge(FinalState(None), FinalState("count the files"), acted=False).value == 1.0


def test_sums_are_made_of_new_entries_with_a_dot_and_fail_alike() -> None:
    contents = {"/a.txt": b"x"}

    def read(path: str) -> bytes:
        if path in contents:
            return contents[path]
        raise FileNotFoundError(path)

    status = '?? a.txt\n?? dir.d/\n?? plain\n M m.txt\n?? -o.txt\n?? "\\303\\251.txt"\n?? it\'s.txt\n'
    assert sums(status, read) == {
        "a.txt": f"{md5(b'x').hexdigest()}  a.txt",
        "dir.d/": "",
        "-o.txt": "",
        '"\\303\\251.txt"': "",
        "it's.txt": "",
    }


def recorded() -> Iterator[tuple[dict[str, Any], float]]:
    """The details of the last judgement of each recorded episode that holds them, and its reward."""
    for path in sorted(DATA.glob("recorded/bash/*.json.gz")):
        content = json.loads(gzip.decompress(path.read_bytes()))
        episodes = content.get("logs", content)
        for episode in episodes.values() if isinstance(episodes, dict) else episodes:
            if "reward" in episode.get("info", ()):
                yield episode["info"], episode["turn_history"]["rewards"][-1]


@pytest.mark.skipif(not (DATA / "recorded/bash").is_dir(), reason="needs the published data (INTERCODE_DATA)")
def test_recorded_judgements_come_out_bit_for_bit() -> None:
    """Rebuilt from what a recording tells of a judgement: the entries that differ, the sums, both texts."""
    seen = 0
    for info, reward in recorded():
        files = [path for path, _ in info.get("diff_same", {}).get("files", [])]
        right = files[: info.get("diff_same", {}).get("correct", 0)]
        both = "".join(f"?? {path}\n" for path in files)
        agent = FinalState(info["agent_obs"], (), both + status_of(info["diff_extra"]), dict.fromkeys(right, "same"))
        gold = FinalState(info["eval_obs"], (), both + status_of(info["diff_miss"]), dict.fromkeys(files, "same"))
        score = judge(agent, gold)
        assert (score.value, dict(score.parts)) == (reward, info["reward"])
        seen += 1
    assert seen > 300


def status_of(pairs: list[tuple[str, str]]) -> str:
    return "".join(f"{code} {path}\n" for path, code in pairs)
