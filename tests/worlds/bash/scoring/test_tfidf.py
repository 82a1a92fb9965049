from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from intercode.worlds.bash.scoring.tfidf import similarity

words = st.text(alphabet="abAB_09 \n.,-éÉßΣςИ漢字٣\u0301\u00a0\u0130", max_size=40) | st.text(max_size=40)


def by_scikit_learn(first: str, second: str) -> float:
    try:
        vectors = TfidfVectorizer().fit_transform([first, second])
    except ValueError:
        return float(first == second)
    return float((vectors @ vectors.T).toarray()[0][1])


@given(words, words)
def test_it_is_what_scikit_learn_computes(first: str, second: str) -> None:
    assert similarity(first, second) == pytest.approx(by_scikit_learn(first, second), abs=1e-12)


@given(st.lists(st.sampled_from(["ab", "cd", "ef", "gh1", "Ij"]), max_size=30), st.integers(0, 30))
def test_it_is_what_scikit_learn_computes_where_words_repeat(tokens: list[str], cut: int) -> None:
    first, second = " ".join(tokens), " ".join([*tokens[cut:], "cd"])
    assert similarity(first, second) == pytest.approx(by_scikit_learn(first, second), abs=1e-12)


@given(words, words)
def test_it_is_symmetric_and_stays_between_0_and_1(first: str, second: str) -> None:
    assert similarity(first, second) == pytest.approx(similarity(second, first), abs=1e-12)
    assert -1e-12 <= similarity(first, second) <= 1 + 1e-12


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "", 1.0),
        ("1 2 3", "1 2 3", 1.0),
        ("7", "8", 0.0),
        ("7", "78", 0.0),
        (None, None, 1.0),
        (None, "", 0.0),
        ("ab", None, 0.0),
    ],
)
def test_where_there_is_no_word_equal_texts_score_1_and_others_0(
    first: str | None, second: str | None, expected: float
) -> None:
    assert similarity(first, second) == expected


def test_order_case_and_single_characters_do_not_count() -> None:
    """The published fault, kept: `7 files` is as good as `8 Files`."""
    assert similarity("7 php files", "Files, PHP: 8") == pytest.approx(1)
