"""How replies are read: tables of replies as models write them, and any text at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.agents import parsers
from intercode.agents.parsers.fences import fences
from intercode.errors import UserError
from intercode.types import Action

LS = Action("execute", "ls")
SUBMIT = Action("submit")
WORLDS = ("bash", "sql", "python", "ctf", "swe")
STRATEGIES = ("single_turn", "try_again", "react", "plan_solve", "tree_search")

FENCED = [
    ("bash", "```bash\nls\n```", LS),
    ("bash", "I will look around first.\n\n```bash\nls\n```\n\nThis lists the files.", LS),
    ("bash", "```\nls\n```", LS),
    ("bash", "```sh\nls\n```\nor, more fully:\n```sh\nls -la\n```", LS),
    ("bash", "```python\nprint(1)\n```\n```shell\nls\n```", LS),
    ("bash", "~~~bash\nls\n~~~", LS),
    ("bash", "```bash ls```", LS),
    ("bash", "```ls```", LS),
    ("bash", "  ```bash\n  ls\n  ```", Action("execute", "  ls")),
    ("bash", "```bash\nls```", LS),
    ("bash", "```{.bash}\nls\n```", LS),
    ("bash", "```console\n$ ls\na.txt  b.txt\n```", LS),
    ("bash", "```bash\n$ cd /x\n$ ls\n```", Action("execute", "cd /x\nls")),
    ("bash", "```bash\necho '$ 5'\n$ ls\n```", Action("execute", "echo '$ 5'\n$ ls")),
    ("bash", "````bash\ncat > a.md <<'E'\n```\nx\n```\nE\n````", Action("execute", "cat > a.md <<'E'\n```\nx\n```\nE")),
    ("bash", '```bash\necho $NF "a  b"\n```', Action("execute", 'echo $NF "a  b"')),
    ("bash", "<think>```bash\nrm -rf /\n```</think>\n```bash\nls\n```", LS),
    ("bash", "Shall I?\n```bash\nrm -rf /\n```\n</think>\n\n```bash\nls\n```", LS),
    ("bash", "So ls.</think>```bash\nls\n```", LS),
    ("bash", "```bash\nls\n```\n</think>", None),
    ("bash", "<think>I never stop thinking ```bash\nls\n```", None),
    ("bash", "```bash\nrm -rf /tmp/x && rm -rf /very/lo", None),  # cut short: half a command may do anything
    ("bash", "I am sorry, but I cannot help with that.", None),
    ("bash", "", None),
    ("bash", "```bash\n\n```", None),
    ("bash", "```json\n{}\n```", None),
    ("bash", "submit", SUBMIT),
    ("bash", "The file is there now.\n\n**submit**", SUBMIT),
    ("bash", "`submit`", SUBMIT),
    ("bash", "Submit.", SUBMIT),
    ("bash", "Done.\nAction: submit", SUBMIT),
    ("bash", "```bash\nsubmit\n```", SUBMIT),
    ("bash", "skip", Action("skip")),
    ("bash", "You should now look at it and\nsubmit the report to your boss.", None),
    ("sql", "```sql\nSELECT 1;\n```", Action("execute", "SELECT 1;")),
    ("sql", "```mysql\nSELECT 1\n```", Action("execute", "SELECT 1")),
    ("sql", "```bash\nmysql\n```", None),
    ("python", "```python\ndef f(x):\n    return x\n```", Action("execute", "def f(x):\n    return x")),
    ("python", "It works. submit f", None),
    ("python", "submit f", Action("submit", "f")),
    ("python", "```\nsubmit f\n```", Action("submit", "f")),
    ("ctf", "```bash\nstrings x\n```", Action("execute", "strings x")),
    ("ctf", "submit flag{a_b}", Action("submit", "flag{a_b}")),
    ("ctf", "There it is.\n\n**submit flag{a*b`c}**", None),
    ("ctf", "`submit flag{a*b`c}`", Action("submit", "flag{a*b`c}")),
    ("swe", "```bash\nsed -i s/a/b/ x.py\n```", Action("execute", "sed -i s/a/b/ x.py")),
]

REACT = [
    ("bash", "Thought: look\nAction:\n```bash\nls\n```", LS, "look"),
    ("bash", "Thought: look\nAction: execute[ls]", LS, "look"),
    ("bash", "Thought 1: look\nAction 1: execute[ls]\nObservation 1: a\nThought 2: ok\nAction 2: submit", LS, "look"),
    ("bash", "**Thought:** look\n**Action:** `ls`", LS, "look"),
    ("bash", "Action: ls", LS, ""),
    ("bash", "Thought: [[ ]] is odd\nAction: execute[[[ -e x ]] && ls]", Action("execute", "[[ -e x ]] && ls"), None),
    ("bash", "Thought: done\nAction: submit", SUBMIT, "done"),
    ("bash", "Thought: done\nAction: `submit`", SUBMIT, "done"),
    ("bash", "```bash\nls\n```", LS, ""),
    ("bash", "Thought: I do not know what to do", None, None),
    ("bash", "Thought: x\nAction:", None, "x"),
    ("bash", "Observation: all done", None, None),
    ("bash", "Thought: clean up\nAction:\n```bash\nrm -rf /tmp/x && rm -rf /very/lo", None, "clean up"),  # cut short
    ("bash", "Action: execute[ls\nrm -rf /very/lo", None, ""),
    ("ctf", "Action: submit[flag{x", None, ""),
    ("bash", "Action: execute[ls]\n\nThought: and\nAction: execute[pwd]", LS, ""),
    ("bash", "Action: `execute[ls]`\n**Action:** `execute[pwd]`", LS, ""),
    ("bash", "Action: execute[cat <<E\naction: [a]\nE]", Action("execute", "cat <<E\naction: [a]\nE"), ""),
    ("ctf", "Thought: there it is\nAction: submit[flag{x}]", Action("submit", "flag{x}"), "there it is"),
    ("ctf", "Thought: there it is\nAction: submit flag{x}", Action("submit", "flag{x}"), "there it is"),
    ("sql", "Thought: t\nAction: execute[SHOW TABLES]", Action("execute", "SHOW TABLES"), "t"),
]

PAPER = [
    ("try_again", "bash", "```bash\nawk '{print $NF}' A.txt\n```", "awk '{print $nf}' a.txt"),
    ("try_again", "bash", "```\nls\n  -l\n```", "ls -l"),
    ("try_again", "bash", "bash: ls", "ls"),
    ("try_again", "bash", "The command: ls", " ls"),
    ("try_again", "bash", "Command: ls", None),
    ("try_again", "bash", "Just list\nthem.", "Just list them."),
    ("try_again", "sql", "```sql\nSELECT a\nFROM b; SELECT c\n```", "SELECT a FROM b"),
    ("try_again", "sql", "SQL: SELECT 1", "S"),
    ("try_again", "sql", "You can use SHOW TABLES; now.", "SHOW TABLES"),
    ("try_again", "sql", "```sql\nUPDATE t SET a = 1\n```", None),
    ("try_again", "sql", "select 1", None),
    ("try_again", "sql", "SELECT my\\_col FROM t", "SELECT my_col FROM t"),
    ("plan_solve", "sql", "```\n;\n```", None),
    ("react", "bash", "look\nAction 1: execute[ls [a]]", "ls [a]"),
    ("react", "bash", "look\nAction 1: ls", None),
    ("react", "sql", "t\nAction 2: execute[SELECT 1; DROP]", "SELECT 1"),
    ("try_again", "python", "def f(): return 1     return 2", "def f(): return 1\n    return 2"),
    ("try_again", "ctf", "cat flag", "cat flag"),
]


@pytest.mark.parametrize(("world", "reply", "action"), FENCED)
def test_code_is_found_in_a_reply_or_not(world: str, reply: str, action: Action | None) -> None:
    assert parsers.choose("", "try_again", world)(reply).action == action


@pytest.mark.parametrize(("world", "reply", "action", "thought"), REACT)
def test_thought_and_action_are_told_apart(world: str, reply: str, action: Action | None, thought: str | None) -> None:
    read = parsers.choose("default", "react", world)(reply)
    assert read.action == action
    assert thought is None or read.thought == thought


@pytest.mark.parametrize(("strategy", "world", "reply", "code"), PAPER)
def test_the_papers_parsers_have_their_quirks(strategy: str, world: str, reply: str, code: str | None) -> None:
    read = parsers.choose("paper", strategy, world)(reply)
    assert read.action == (None if code is None else Action("execute", code))


def test_the_papers_submit_is_a_submit() -> None:
    assert parsers.choose("paper", "react", "bash")("done\nAction 3: submit").action == SUBMIT


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_prose_is_not_run_as_a_program_unless_that_is_asked_for(strategy: str) -> None:
    prose = "I am sorry, but I cannot see your files."
    assert parsers.choose("", strategy, "bash")(prose).action is None
    assert parsers.choose("bare", strategy, "bash")(prose).action == Action("execute", prose)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_model_that_writes_nothing_but_code_needs_no_fence_where_that_is_asked_for(strategy: str) -> None:
    read = parsers.choose("bare", strategy, "bash")
    assert read("find . -name x").action == Action("execute", "find . -name x")
    assert read("```bash\nls\n```").action == Action("execute", "ls")
    assert read("submit").action == SUBMIT


def test_a_single_block_that_was_cut_short_is_not_run() -> None:
    assert parsers.choose("", "single_turn", "bash")("```bash\nrm -rf /tmp/x && rm -rf /very/lo").action is None


@pytest.mark.parametrize(("strategy", "world"), [("tool_use", "bash"), ("react", "python"), ("try_again", "swe")])
def test_what_was_not_published_has_no_paper_parser(strategy: str, world: str) -> None:
    with pytest.raises(UserError, match="leave --parser out"):
        parsers.choose("paper", strategy, world)


def test_a_parser_of_another_name_is_refused() -> None:
    with pytest.raises(UserError, match="default, bare, paper"):
        parsers.choose("doker", "react", "bash")


pieces = st.lists(
    st.sampled_from(
        ["```", "````", "~~~", "bash\n", "sql", "\n", "ls", "submit", "Action:", "execute[", "]", "Thought: "]
    )
    | st.sampled_from(
        ["Observation:", "<think>", "</think>", "$ ", "command:", "SQL: ", "SELECT", ";", "def ", "`", "*"]
    )
    | st.text(max_size=6),
    max_size=25,
).map("".join)


@given(reply=pieces, strategy=st.sampled_from(STRATEGIES), world=st.sampled_from(WORLDS))
def test_any_text_is_read_and_gives_an_action_or_none(reply: str, strategy: str, world: str) -> None:
    read = parsers.choose("default", strategy, world)(reply)
    assert isinstance(read.thought, str)
    if read.action is not None and read.action.kind == "execute":
        assert read.action.text.strip()


@given(
    reply=pieces,
    case=st.sampled_from([(s, w) for s in ("try_again", "plan_solve") for w in ("bash", "sql", "python", "ctf")])
    | st.sampled_from([("react", "bash"), ("react", "sql")]),
)
def test_any_text_is_read_by_the_papers_parsers_too(reply: str, case: tuple[str, str]) -> None:
    assert isinstance(parsers.choose("paper", *case)(reply).thought, str)


@given(code=st.text(st.characters(exclude_characters="`~\r\n"), min_size=1).filter(str.strip), before=st.text("ab \n"))
def test_what_stands_in_a_fence_comes_out_of_it(code: str, before: str) -> None:
    assert [each.code for each in fences(f"{before}\n```bash\n{code}\n```\n")] == [code]


@pytest.mark.parametrize(
    "text", ["```" * 100_000, "`" * 300_000, "```\n" * 50_000, "Action: " * 50_000, "execute[" * 50_000]
)
@pytest.mark.parametrize("strategy", ["react", "try_again"])
def test_no_reply_takes_long_to_read(text: str, strategy: str) -> None:
    started = time.process_time()
    parsers.choose("default", strategy, "bash")(text)
    assert time.process_time() - started < 2
