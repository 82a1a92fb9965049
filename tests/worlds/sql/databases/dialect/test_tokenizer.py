"""Tokens and statements: nothing is lost, and nothing is taken for what it is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.worlds.sql.databases.dialect.tokenizer import (
    content,
    first_word,
    meaningful,
    second_statement,
    statements,
    tokens,
)

PIECES = st.sampled_from(
    ["SELECT", " ", "'a''b'", '"x\\"y"', "`n``m`", "1.5e3", "0xFF", "-- c\n", "# d\n", "/* e */", "/*! f */", "<=>",
     ";", "'", '"', "`", "/*", "@a", "@@b", "ü", "(", ")", "\\", "\n", "x"]
)  # fmt: skip


@given(st.lists(PIECES).map("".join))
def test_tokens_joined_are_the_statement(statement: str) -> None:
    assert "".join(token.text for token in tokens(statement)) == statement
    assert all(statement.startswith(token.text, token.start) for token in tokens(statement))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("SELECT 'a' -- b", ["word", "string"]),
        ("SELECT--1", ["word", "symbol", "symbol", "number"]),
        ('"a;b" `c;d`', ["string", "name"]),
        ("/*!40101 SET x */ y", ["code", "word"]),
        ("@a := @@global.b", ["variable", "symbol", "variable"]),
        ("a.b", ["word", "symbol", "word"]),
        ("1a", ["word"]),
        ("0x1F .5 1e-3", ["number", "number", "number"]),
        ("it's", ["word", "open"]),
        ("/* never", ["open"]),
    ],
)
def test_tokens_have_kinds(text: str, kinds: list[str]) -> None:
    assert [token.kind for token in meaningful(text)] == kinds


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("'it''s'", "it's"),
        (r"'a\'b\\c\n'", "a'b\\c\n"),
        ('"x""y"', 'x"y'),
        ("`a``b`", "a`b"),
        (r"'50\%'", "50\\%"),
        ("''", ""),
    ],
)
def test_literals_have_content(literal: str, value: str) -> None:
    assert content(literal) == value


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("SELECT 1; SELECT 2", "SELECT 2"),
        ("SELECT ';'", None),
        ("SELECT 1; -- x\n /* y */ ;", None),
        ("; x", "x"),
        ("SELECT `a;b`; # c\nd", "d"),
    ],
)
def test_a_second_statement_is_found(text: str, second: str | None) -> None:
    start = second_statement(tokens(text))
    assert (None if start is None else text[start:]) == second


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("select 1", "select"),
        ("-- a\n/* b */ # c\n Show tables", "show"),
        ("(select 1)", ""),
        ("", ""),
        ("/*!1 x*/ y", ""),
    ],
)
def test_the_first_word_is_found(text: str, word: str) -> None:
    assert first_word(text) == word


def test_a_script_is_cut_into_statements_with_their_lines() -> None:
    script = "-- head;\nSELECT ';';\n\n/* c; */\nINSERT INTO a VALUES ('x\ny;');# t\nUPDATE\n b SET c=1"
    assert [(statement.line, statement.text) for statement in statements(script)] == [
        (2, "SELECT ';'"),
        (5, "INSERT INTO a VALUES ('x\ny;')"),
        (7, "UPDATE\n b SET c=1"),
    ]


def test_delimiters_of_the_client_are_understood() -> None:
    script = "SELECT 1;\nDELIMITER ;;\nCREATE TRIGGER t BEGIN a; b; END ;;\nDELIMITER ;\nSELECT 2;"
    assert [(statement.line, statement.text) for statement in statements(script)] == [
        (1, "SELECT 1"),
        (3, "CREATE TRIGGER t BEGIN a; b; END"),
        (5, "SELECT 2"),
    ]
