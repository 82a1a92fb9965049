"""What is shown while episodes are played."""

from __future__ import annotations

import io
import re
import time
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from rich.console import Console
from rich.live import Live
from rich.text import Text

from intercode.cli.display import console, plain, results, tables, trajectory
from intercode.cli.display.live import LiveProgress
from intercode.cli.display.plain import PlainProgress, QuietProgress
from intercode.cli.display.progress import FIRST, ProgressCounter, clock
from intercode.cli.display.resizable_live import ReflowingRender
from intercode.report.statistics import Interval
from intercode.report.table import Cell, Column, Table
from intercode.runs.manifest import Manifest
from intercode.runs.settings import Settings
from intercode.runs.store import StoredRun
from intercode.types import SCORINGS, Action, Observation, Score, Scores, TaskView, Trajectory, Turn
from intercode.types.conversation import ModelCall, Reply, Usage
from intercode.util import terminal
from intercode_sandbox.util.text import pluralize


def stored_episode(usage: Usage, value: float) -> Trajectory:
    """One turn, whose model was asked three times."""
    turn = Turn(Action("submit"), Observation(""), calls=(ModelCall(0, (), Reply("x", tries=3)),))
    scores: Scores = {name: Score(value, value == 1.0) for name in SCORINGS}
    task = TaskView("t/0", "Do it.", "bash")
    return Trajectory(task=task, agent="react", status="submitted", turns=(turn,), scores=scores, usage=usage)


def drawn(display: LiveProgress, width: int = 120) -> str:
    console = Console(file=io.StringIO(), width=width, height=12, record=True)
    console.print(display)
    return console.export_text()


def test_the_display_has_counts_success_cost_and_a_line_for_each_episode_with_its_turn() -> None:
    display = LiveProgress()
    ProgressCounter.on_start(display, 10, 2, 1)  # without the terminal
    for number in range(3):
        display.on_reset((f"t/{number}", number))
    display.on_step(("t/0", 0), 4)
    ProgressCounter.on_episode_end(display, ("t/2", 2), True, "")
    display.on_usage(0.25)
    text = drawn(display)
    assert "3 of 10 done, 2 succeeded, $0.25" in text
    assert "remaining" in text
    assert "t/0    turn 4" in text
    assert "t/1:1" in text
    assert "t/2" not in text


def test_on_a_narrow_terminal_the_counts_stay_on_one_line() -> None:
    display = LiveProgress()
    ProgressCounter.on_start(display, 200, 40, 29)
    ProgressCounter.on_episode_end(display, ("t/2", 2), True, "")
    display.on_usage(0.0646)
    counts, time = drawn(display, 70).splitlines()
    assert "  41 of 200 done, 30 succeeded, $0.0646" in counts
    assert time.strip() == "elapsed 0:00, remaining 0:00"
    (line,) = drawn(display, 100).splitlines()
    assert "41 of 200 done, 30 succeeded, $0.0646  elapsed 0:00" in line


@pytest.mark.parametrize("width", [80, 100, 160])
def test_each_worker_shows_what_it_does_and_no_line_is_longer_than_the_terminal(width: int) -> None:
    display = LiveProgress()
    ProgressCounter.on_start(display, 400, 0, 0)
    for number in range(8):
        episode = stored_episode(Usage(12_345, 678, 0, 0.01), 1.0)
        display.on_trajectory(episode)
        ProgressCounter.on_episode_end(display, (f"t/{number}", 0), True, "")
    display.on_reset(("nl2bash/fs1/a-task-with-quite-a-long-name-of-its-own", 0))
    display.on_step(("nl2bash/fs1/a-task-with-quite-a-long-name-of-its-own", 0), 3)
    display.on_action(("nl2bash/fs1/a-task-with-quite-a-long-name-of-its-own", 0), Action("execute", "find /" * 60))
    display.on_reset(("t/9", 0))
    display.on_action(("t/9", 0), Action("submit"))
    text = drawn(display, width)
    assert all(len(line) <= width for line in text.splitlines())
    assert "98,760 in, 5,424 out" in text
    assert re.search(r"name-of-its-own +turn 3 +executing +0\.\d s +find /", text)
    assert re.search(r"t/9 +judging", text)


def test_the_figures_of_a_sitting_are_those_of_its_episodes() -> None:
    display = ProgressCounter()
    display.on_start(4, 0, 0)
    for value in (1.0, 1.0, 0.0):
        display.on_trajectory(stored_episode(Usage(10, 2), value))
    assert display.figures == [
        "success 66.7% (20.8 to 93.9%)",
        "mean reward 0.667",
        "tokens 30 in, 6 out",
        "6 retries",
    ]


def test_errors_are_counted_by_kind() -> None:
    display = LiveProgress()
    ProgressCounter.on_start(display, 5, 0, 0)
    for number, error in enumerate(("SandboxError: a", "ModelError: b", "SandboxError: c")):
        ProgressCounter.on_episode_end(display, (f"t/{number}", 0), None, error)
    assert "errors: 2 sandbox, 1 model" in drawn(display)


def test_more_episodes_than_the_terminal_has_lines_are_summed_up() -> None:
    display = LiveProgress()
    ProgressCounter.on_start(display, 64, 0, 0)
    for number in range(64):
        display.on_reset((f"t/{number}", 0))
    text = drawn(display)
    assert len(text.splitlines()) <= 12
    assert "more" in text.splitlines()[-1]


def test_a_price_that_is_not_known_makes_no_sum() -> None:
    display = ProgressCounter()
    display.on_usage(None)
    assert "$" not in display.counts
    display.on_usage(0.00123)
    assert "$0.0012" in display.counts


def test_of_many_errors_of_one_kind_only_the_first_are_told_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    display = PlainProgress()
    display.on_start(9, 0, 0)
    for number in range(9):
        display.on_reset((f"t/{number}", 0))
        display.on_episode_end((f"t/{number}", 0), None, "SandboxError: gone")
    display.close()
    errors = capsys.readouterr().err
    assert errors.count("SandboxError: gone") == 1, "one reason is told once"
    assert "9 of 9 done, 0 succeeded, 9 errors" in errors
    assert "errors: 9 sandbox" in errors


def test_of_many_reasons_of_one_kind_the_first_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    display = PlainProgress()
    display.on_start(9, 0, 0)
    for number, word in enumerate("abcdefghi"):
        display.on_reset((f"t/{number}", 0))
        display.on_episode_end((f"t/{number}", 0), None, f"SandboxError: no {word}")
    display.close()
    assert capsys.readouterr().err.count("SandboxError: no ") == FIRST


def play_plainly(display: PlainProgress, count: int) -> None:
    display.on_start(count, 0, 0)
    for number in range(count):
        display.on_reset((f"t/{number}", 0))
        display.on_episode_end((f"t/{number}", 0), True, "")
    display.close()


@pytest.mark.parametrize(("count", "lines"), [(4, 4), (10, 10), (1000, 10)])
def test_a_run_in_a_pipe_prints_a_line_for_each_tenth(
    capsys: pytest.CaptureFixture[str], count: int, lines: int
) -> None:
    play_plainly(PlainProgress(), count)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == lines
    assert told[-1].startswith(f"{count} of {count} done")


def test_a_run_in_a_pipe_prints_while_no_episode_ends(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain, "EVERY", 0.2)
    display = PlainProgress()
    display.on_start(4, 0, 0)
    time.sleep(1.0)
    display.close()
    assert 2 <= capsys.readouterr().err.count("0 of 4 done") <= 6


@pytest.mark.parametrize("width", [60, 30, 13])
def test_a_terminal_that_was_made_narrower_keeps_no_stale_lines(width: int) -> None:
    """It wraps what was drawn, and all of that is erased before the next drawing."""
    console = Console(file=io.StringIO(), width=120, height=40, force_terminal=True)
    render = ReflowingRender(console, Text("a" * 100 + "\n" + "b" * 20))
    console.print(render)
    console.width = width
    ups = str(render.position_cursor()).count("\x1b[1A")
    assert ups + 1 == -(-100 // width) + -(-20 // width)


@pytest.fixture
def quiet_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intercode.cli.display.progress.QUIET", 0.2)


def stuck(display: ProgressCounter) -> None:
    """Three episodes of which none ends: two wait for their model, one for its command."""
    display.decider = "the model toy"
    for number in range(3):
        display.on_reset((f"t/{number}", 0))
        display.on_step((f"t/{number}", 0), 2)
    display.on_action(("t/2", 0), Action("execute", "sleep 99"))


def test_where_nothing_ends_a_run_in_a_pipe_says_what_it_waits_for(
    quiet_minute: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plain, "EVERY", 0.3)
    display = PlainProgress()
    display.on_start(5, 0, 0)
    stuck(display)
    time.sleep(1.0)
    display.close()
    assert re.search(
        r"remaining -:--; nothing has ended for 0:0\d; waiting for the model toy in 2 episodes, "
        r"a command in 1 episode, the longest for 0:0\d \(t/0, turn 2\)",
        capsys.readouterr().err,
    )


def test_where_nothing_ends_a_terminal_shows_what_is_waited_for(quiet_minute: None) -> None:
    display = LiveProgress()
    ProgressCounter.on_start(display, 5, 0, 0)
    stuck(display)
    assert "waiting for" not in drawn(display)
    time.sleep(0.3)
    assert "waiting for the model toy in 2 episodes, a command in 1 episode" in " ".join(drawn(display, 100).split())
    ProgressCounter.on_episode_end(display, ("t/1", 0), True, "")
    assert "waiting for" not in drawn(display)


def test_replies_that_were_cut_are_counted_while_a_run_goes_on() -> None:
    display = ProgressCounter()
    display.on_start(2, 0, 0)
    episode = stored_episode(Usage(10, 2), 0.0)
    call = ModelCall(0, (), Reply("x", finish_reason="length"))
    display.on_trajectory(replace(episode, turns=(replace(episode.turns[0], calls=(call, call)),)))
    assert "2 replies cut" in display.figures


def test_in_continuous_integration_only_what_matters_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    display = QuietProgress()
    display.on_start(1, 0, 0)
    display.on_reset(("t/0", 0))
    display.on_episode_end(("t/0", 0), True, "")
    display.on_message("a line was torn")
    assert capsys.readouterr().err == "a line was torn\n"


def test_messages_of_many_threads_stand_in_lines_of_their_own(capfd: pytest.CaptureFixture[str]) -> None:
    display = PlainProgress()

    def talk() -> None:
        for _ in range(300):
            display.on_message("building")

    threads = [Thread(target=talk) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(capfd.readouterr().err.splitlines()) == {"building"}


def test_a_clock_is_read_as_people_read_one() -> None:
    assert [clock(65), clock(7209), clock(None)] == ["1:05", "2:00:09", "-:--"]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
def test_no_figure_is_cut_however_narrow_the_terminal_is(width: int) -> None:
    columns = (
        Column("run"),
        Column("success, exact", "share"),
        Column("95 %", "interval"),
        Column("cost of a success", "dollars"),
        *(Column(f"pass@{k}", "share") for k in range(1, 9)),
    )
    row: tuple[Cell, ...] = ("agent=try-again,seed=1", 0.5, Interval(0.25, 1.0), 12.5, *(k / 10 for k in range(1, 9)))
    console = Console(file=io.StringIO(), width=width, record=True)
    tables.draw(console, [Table("results", columns, (row,), "a note")])
    drawn = console.export_text()
    words = drawn.split()
    assert max(map(len, drawn.splitlines())) <= width
    for figure in ("50.0%", "$12.5000", *(f"{k}0.0%" for k in range(1, 9)), *(f"pass@{k}" for k in range(1, 9))):
        assert figure in words
    assert "25.0 to 100.0%" in drawn
    assert ("success, exact" in drawn) is (width == 160)


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_on_a_narrow_terminal_an_interval_stays_beside_its_figure(width: int) -> None:
    pairs = [
        column
        for name in ("exact reward", "paper reward", "other reward", "fourth reward")
        for column in (Column(name, "reward"), Column(f"95 %, {name}", "reward interval"))
    ]
    row: tuple[Cell, ...] = ("a", *(cell for n in range(4) for cell in (n / 8, Interval(n / 8 - 0.1, n / 8 + 0.1))))
    console = Console(file=io.StringIO(), width=width, record=True)
    tables.draw(console, [Table("results", (Column("run"), *pairs), (row,))])
    lines = console.export_text().splitlines()
    for n in range(4):
        (line,) = (line for line in lines if f" {n / 8:.3f} " in line)
        assert f" {n / 8:.3f}  {n / 8 - 0.1:.3f} to {n / 8 + 0.1:.3f}" in line


def test_the_parts_of_a_wide_table_are_about_equally_wide() -> None:
    columns = (Column("run"), *(Column(f"figure-{n}", "share") for n in range(9)))
    console = Console(file=io.StringIO(), width=90, record=True)
    tables.draw(console, [Table("results", columns, (("a", *[0.5] * 9),))])
    assert [line.count("50.0%") for line in console.export_text().splitlines() if "50.0%" in line] == [5, 4]


@pytest.mark.parametrize(("width", "shown"), [(80, "forgotten-customers "), (100, "starter/bash/forgotten-customers ")])
def test_a_narrow_list_of_episodes_says_once_what_all_ids_begin_with(tmp_path: Path, width: int, shown: str) -> None:
    names = ("starter/bash/forgotten-customers", "starter/bash/files-of-february")
    found = tuple(replace(stored_episode(Usage(), 1.0), task=TaskView(name, "q", "bash")) for name in names)
    run = StoredRun(tmp_path, Manifest(Settings(dataset="starter"), names), found)
    out = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    results.show_episodes(out, run)
    lines = out.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert ("all begin with starter/bash/" in lines) == (width == 80)
    assert [line for line in lines if shown in line]
    assert len(lines) == 1 + len(names) + (width == 80), "a line for each"


def test_nouns_and_verbs_go_by_the_number() -> None:
    assert [pluralize(n, "episode") for n in (0, 1, 2)] == ["0 episodes", "1 episode", "2 episodes"]
    assert [pluralize(n, "trajectory", "trajectories") for n in (1, 5)] == ["1 trajectory", "5 trajectories"]


ESCAPE = "\x1b]0;owned\x07\x9b2J\u202e[link=http://a]x[/link]"


def test_what_the_live_display_shows_steers_no_terminal() -> None:
    display = LiveProgress()
    ProgressCounter.on_start(display, 3, 0, 0)
    display.on_reset((ESCAPE, 0))
    ProgressCounter.on_episode_end(display, ("t/1", 0), None, f"{ESCAPE}: broke")
    stream = io.StringIO()
    out = console.SafeConsole(stream)
    with Live(display, console=out, refresh_per_second=1, redirect_stdout=False, redirect_stderr=False):
        out.print(Text(ESCAPE, style="red"))
    drawn = stream.getvalue()
    assert drawn.count("␛]0;owned") >= 2
    assert "[link=http://a]x[/link]" in drawn
    assert not set(drawn) & {"\x1b", "\x9b", "\u202e"}


@pytest.mark.parametrize("code", [*range(32), *range(0x7F, 0xA0), 0x202E, 0x2066, 0xD800])
def test_a_stream_shows_control_characters_and_lets_lines_and_tabs_pass(code: int) -> None:
    below = io.StringIO()
    stream = terminal.SafeStream(below)
    assert stream.write(f"a{chr(code)}b") == 3
    stream.writelines([chr(code), "c"])
    assert (chr(code) in below.getvalue()) == (chr(code) in "\n\t")
    assert stream.isatty() is below.isatty()


def test_nothing_but_the_one_place_makes_consoles_or_writes_past_the_stream() -> None:
    """What makes a console of its own, or takes the stream below, could show a text as it is."""
    source = Path(console.__file__).parents[2]
    others = [path for path in source.rglob("*.py") if path not in (Path(console.__file__), Path(terminal.__file__))]
    forbidden = re.compile(
        r"\bConsole\(|rich\.print|from rich import|__std(out|err)__|std(out|err)\.(buffer|below)|click\."
    )
    texts = {path: path.read_text(encoding="utf-8") for path in others if "inside" not in path.parts}
    assert {str(path): found[0] for path, text in texts.items() if (found := forbidden.search(text))} == {}


def test_each_line_of_a_note_is_shown_and_steers_no_terminal() -> None:
    score = Score(0.0, False, notes=("the verifier printed:\nE  assert 1 == 2\n\x1b[2Jgone",))
    episode = Trajectory(
        task=TaskView("t/0", "?", "harbor"), agent="a", status="submitted", turns=(), scores={"exact": score}
    )
    out = io.StringIO()
    trajectory.show_ending(Console(file=out, width=100), episode)
    lines = [line.strip() for line in out.getvalue().splitlines()]
    assert lines[1:3] == ["the verifier printed:", "E  assert 1 == 2"]
    assert "\x1b" not in out.getvalue()


def test_success_is_green_where_it_is_the_rule_and_red_where_not() -> None:
    columns = (Column("run"), Column("errors", "count"), Column("success", "success"), Column("action errors", "share"))
    drawn = tables.table(Table("results", columns, (("a", 2, 0.9, 1.0), ("b", 0, 0.1, 1.0))))
    looks = [[str(getattr(cell, "style", "")) for cell in column.cells] for column in drawn.columns]
    assert looks == [["", ""], ["red", ""], ["green", "red"], ["", ""]]


def test_the_heading_of_a_run_with_a_long_name_is_broken_between_its_parts() -> None:
    name = "20261127-081136-nl2bash-react"
    drawn = tables.table(Table("by category", (Column(name, "success"),), ((0.5,),)), narrow=True)
    assert str(drawn.columns[0].header).split("\n") == ["20261127-081136-", "nl2bash-react"]
