"""The gold's ending: what runs of it in fresh sessions tell, and that it is found out once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from envs.tiny import TinyDataset
from intercode import paths
from intercode.envs.bash.gold_cache import ENOUGH, SETTLES, GoldCache
from intercode.envs.bash.gold_runs import FreshSessions, study_gold
from intercode.errors import SandboxError
from intercode.rewards.bash.final_state import Gold
from intercode.rewards.bash.git_tracked import TrackedFiles
from intercode.sandboxes import images
from intercode.sandboxes.base import Change, Entry, Limits, Sandbox
from intercode.sandboxes.images import Image
from intercode.sandboxes.scripted import ScriptedAnswer, ScriptedSandbox

DATASET = TinyDataset()
IMAGE = DATASET.image(DATASET[0], images.find("host"))
START = 1_600_000_000.0
LIMITS = Limits()
MADE = Change("/made", None, Entry("file", 0o644, 0, 0, 1, 0, "digest"))
PLAIN = Image("plain", ())
MACHINES = replace(PLAIN, name="machine's own", reproducible=False)

Study = Callable[[str], Gold]


@pytest.fixture
def study(sandbox: Sandbox) -> Study:
    return lambda text: GoldCache().gold(sandbox, IMAGE, text, started_at=START, limits=LIMITS)


class TestWhatRunsTell:
    def test_a_gold_leaves_an_answer_and_a_state(self, study: Study) -> None:
        gold = study("echo said; echo complained >&2; echo x > /shop/made; exit 3")
        assert (gold.exact.answer, gold.errors, gold.exit_code) == ("said\n", "complained\n", 3)
        assert sorted(gold.paper.answer or "") == sorted("said\ncomplained\n")
        for outcome in (gold.exact, gold.paper):
            assert [change.path for change in outcome.changes] == ["/shop/made"]
        assert gold.paper.status == "?? shop/made\n"
        assert [gold.volatile, gold.failed, gold.corrupt, gold.order_free] == [False] * 4

    def test_each_scoring_has_its_own_quoting(self, study: Study) -> None:
        gold = study('echo "a  b"')
        assert (gold.exact.answer, gold.paper.answer) == ("a  b\n", "a\n")

    def test_it_runs_at_the_root_in_a_fresh_world(self, study: Study) -> None:
        assert study("pwd; ls /shop; rm -r /shop").exact.answer == "/\na.txt\nb.txt\ndeep\nnow.txt\n"
        assert study("ls /shop").exact.answer == "a.txt\nb.txt\ndeep\nnow.txt\n"

    def test_new_files_have_sums_for_the_paper(self, study: Study) -> None:
        gold = study("echo x > /shop/made.txt; ln -s b.txt /shop/link.txt; mkdir /a.b; echo y > /a.b/c")
        sums = gold.paper.sums
        assert sums["shop/made.txt"] == "401b30e3b8b5d629635a5c613cdb7919  shop/made.txt"
        assert sums["shop/link.txt"].endswith("  shop/link.txt")
        assert sums["a.b/"] == ""

    def test_a_gold_that_cannot_be_split_is_corrupt(self, study: Study) -> None:
        gold = study("echo it\\'s \"")
        assert gold.corrupt
        assert gold.paper.answer is None

    @pytest.mark.parametrize("text", ["date +%N", "echo $RANDOM", "mktemp -p /shop", "stat -c %Y /shop/now.txt"])
    def test_what_differs_from_run_to_run_is_volatile(self, study: Study, text: str) -> None:
        """By the clock, by chance, or by the time of the start."""
        assert study(text).volatile

    @pytest.mark.parametrize("text", ["ls -l /shop/a.txt", "cat /shop/*", "echo x > /shop/made", "touch /shop/made"])
    def test_what_is_the_same_every_time_is_not(self, study: Study, text: str) -> None:
        """Times of new files are not looked at."""
        assert not study(text).volatile

    @pytest.mark.parametrize("text", ["rm /nowhere", "ls /nowhere", "cd /nowhere", "no-such-program | wc -l"])
    def test_what_only_complains_has_failed(self, study: Study, text: str) -> None:
        assert study(text).failed

    @pytest.mark.parametrize("text", ["ls /no /shop", "echo x > /made; ls /nowhere", "true", "grep -q z /etc/group"])
    def test_what_does_something_has_not(self, study: Study, text: str) -> None:
        assert not study(text).failed

    def test_times_that_were_set_are_told_from_times_that_came_about(self, study: Study) -> None:
        gold = study(
            "cd /shop; touch -d @1234567890 a.txt; touch b.txt; cp -p a.txt copy; echo x > made; chmod 600 deep/c.txt;"
            "mv now.txt then.txt"
        )
        assert gold.explicit_times == {"/shop/a.txt", "/shop/copy"}

    def test_processes_left_behind_are_ended_before_the_state_is_read(self, study: Study) -> None:
        gold = study("(sleep 3; echo late > /shop/late) >/dev/null 2>&1 & echo now")
        assert (gold.exact.answer, gold.exact.changes) == ("now\n", ())

    def test_a_gold_that_never_ends_is_cut_and_has_failed(self, sandbox: Sandbox) -> None:
        """What it printed by then is what the paper's scoring compares; it is not run a second time."""
        started = time.monotonic()
        sessions = FreshSessions(sandbox, IMAGE, LIMITS, TrackedFiles.of([]), seconds=2.5)
        gold = study_gold(sessions, "echo begun; sleep 100", START)
        assert time.monotonic() - started < 50
        assert (gold.paper.answer, gold.failed, gold.volatile) == ("begun\n", True, False)


class TestTheOrderOfLines:
    @pytest.mark.parametrize("text", ["find /shop", "grep -r . /shop", "ls -U /shop", "cat $(find /shop -type f)"])
    def test_it_is_free_where_it_follows_the_directory(self, study: Study, text: str) -> None:
        gold = study(text)
        assert gold.order_free
        assert not gold.failed

    @pytest.mark.parametrize("text", ["ls /shop", "seq 5", "find /shop | wc -l", "ls -U /shop | head -2"])
    def test_it_is_not_free_elsewhere(self, study: Study, text: str) -> None:
        """Nor where the lines themselves follow it."""
        assert not study(text).order_free

    def test_it_is_free_where_chance_decides(self, study: Study) -> None:
        """Commands in parallel: that alone makes no gold volatile."""
        gold = study("for i in $(seq 40); do (sleep 0.0$((RANDOM % 9)); echo $i) & done; wait")
        assert (gold.order_free, gold.volatile) == (True, False)

    def test_it_is_found_out_for_volatile_golds_too(self, study: Study) -> None:
        """As far as they are the same for the same start."""
        gold = study("find /shop -type f -printf '%f %TY %TS\\n'")
        assert (gold.order_free, gold.volatile) == (True, True)


class TestKeeping:
    SCRIPT = {"act": ScriptedAnswer("said\n", changes=(MADE,))}

    def keep(
        self,
        sandbox: Sandbox,
        keeper: GoldCache,
        *,
        start: float = START,
        image: Image = PLAIN,
        unlike: str | None = None,
    ) -> Gold:
        return keeper.gold(sandbox, image, "act", started_at=start, limits=LIMITS, unlike=unlike)

    def test_a_gold_is_found_out_once(self) -> None:
        sandbox, keeper = ScriptedSandbox(self.SCRIPT), GoldCache()
        first = self.keep(sandbox, keeper)
        ran = len(sandbox.ran)
        assert self.keep(sandbox, keeper, start=START + 5) == first
        assert len(sandbox.ran) == ran

    def test_many_threads_find_it_out_once(self) -> None:
        alone, shared, keeper = ScriptedSandbox(self.SCRIPT), ScriptedSandbox(self.SCRIPT), GoldCache()
        self.keep(alone, GoldCache(), image=MACHINES)
        with ThreadPoolExecutor(8) as pool:
            golds = list(pool.map(lambda _: self.keep(shared, keeper, image=MACHINES), range(32)))
        assert len(shared.ran) == len(alone.ran)
        assert all(gold == golds[0] for gold in golds)

    def test_environments_that_share_a_sandbox_share_what_is_known(self) -> None:
        sandbox = ScriptedSandbox()
        assert GoldCache.of(sandbox) is GoldCache.of(sandbox)
        assert GoldCache.of(sandbox) is not GoldCache.of(ScriptedSandbox())

    def test_another_process_finds_it_on_disk(self) -> None:
        """Complete, to the last field."""
        first = self.keep(ScriptedSandbox(self.SCRIPT), GoldCache())
        silent = ScriptedSandbox(self.SCRIPT, fails=dict.fromkeys(range(1, 9), SandboxError("ran something")))
        assert self.keep(silent, GoldCache()) == first
        assert first.exact.changes == (MADE,)

    def test_what_depends_on_the_machine_stays_in_memory(self) -> None:
        self.keep(ScriptedSandbox(self.SCRIPT), GoldCache(), image=MACHINES)
        assert not (paths.cache() / "golds").exists()

    def test_a_broken_file_on_disk_is_no_gold(self) -> None:
        """It is found out anew, and the file is mended."""
        first = self.keep(ScriptedSandbox(self.SCRIPT), GoldCache())
        [file] = self.files()
        whole = json.loads(file.read_text())
        half: dict[str, object] = {"gold": {"paper": {}, "exact": {}, "explicit_times": 1}, "at": 1, "settled": True}
        broken = [
            half,
            {"gold": {}, "at": "x", "settled": 1},
            *({**whole, "rechecks": each} for each in (1, [1], {"a": "b"})),
        ]
        for text in ("", "{", "[]", "{}", '{"gold": 1}', *map(json.dumps, broken)):
            file.write_text(text)
            assert self.keep(ScriptedSandbox(self.SCRIPT), GoldCache()) == first
        assert json.loads(file.read_text())["gold"]["exact"]["answer"] == "said\n"

    def test_a_cache_that_cannot_be_written_does_no_harm(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "file" / "cache"))
        assert self.keep(ScriptedSandbox(self.SCRIPT), GoldCache()).exact.answer == "said\n"

    def test_nothing_half_written_is_left(self) -> None:
        self.keep(ScriptedSandbox(self.SCRIPT), GoldCache())
        assert [file.suffix for file in self.files()] == [".json"]

    def files(self) -> list[Path]:
        return [file for file in (paths.cache() / "golds").rglob("*") if file.is_file()]

    def test_a_gold_under_which_the_machine_gives_way_is_not_known(self) -> None:
        """The error is told, and the next judgement tries again."""
        sandbox, keeper = ScriptedSandbox(self.SCRIPT, fails={2: SandboxError("gave way")}), GoldCache()
        with pytest.raises(SandboxError, match="gave way"):
            self.keep(sandbox, keeper)
        assert self.keep(sandbox, keeper).exact.answer == "said\n"

    def test_a_gold_that_does_otherwise_later_is_volatile(self) -> None:
        """Found out when an agent does not agree with it, and known from then on, by other processes too."""
        sandbox, keeper = ScriptedSandbox(self.SCRIPT), GoldCache()
        assert not self.keep(sandbox, keeper).volatile
        sandbox.script["act"] = ScriptedAnswer("said another thing\n", changes=(MADE,))
        assert not self.keep(sandbox, keeper).volatile
        gold = self.keep(sandbox, keeper, unlike="theirs")
        assert (gold.volatile, gold.exact.answer) == (True, "said another thing\n")
        assert self.keep(ScriptedSandbox(self.SCRIPT), GoldCache()).volatile

    def test_a_gold_is_doubted_no_more_once_it_has_done_the_same_a_while_later(self) -> None:
        sandbox = ScriptedSandbox(self.SCRIPT)
        first = self.keep(sandbox, GoldCache())
        [file] = self.files()
        file.write_text(json.dumps(json.loads(file.read_text()) | {"at": time.time() - 2 * SETTLES}))
        keeper = GoldCache()
        assert self.keep(sandbox, keeper, unlike="theirs") == first
        ran = len(sandbox.ran)
        assert self.keep(sandbox, keeper, unlike="theirs") == first
        assert self.keep(sandbox, GoldCache(), unlike="theirs") == first
        assert len(sandbox.ran) == ran + 1  # the list of files, for the new keeper

    def test_the_same_ending_has_a_gold_run_again_only_so_often(self) -> None:
        """Another ending has it run again: it may be another one's gold."""
        sandbox, keeper = ScriptedSandbox(self.SCRIPT), GoldCache()
        self.keep(sandbox, keeper)
        ran = len(sandbox.ran)
        each = self.runs_for(sandbox, keeper, "theirs")
        for _ in range(ENOUGH - 1):
            assert self.runs_for(sandbox, keeper, "theirs") == each > 0
        assert self.runs_for(sandbox, keeper, "theirs") == 0
        assert self.runs_for(sandbox, keeper, "another") == each
        assert len(sandbox.ran) == ran + (ENOUGH + 1) * each

    def runs_for(self, sandbox: ScriptedSandbox, keeper: GoldCache, ending: str) -> int:
        """What a judgement of *ending*, which does not agree, takes in commands."""
        ran = len(sandbox.ran)
        self.keep(sandbox, keeper, unlike=ending)
        return len(sandbox.ran) - ran

    def test_processes_of_a_run_share_what_was_proven(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """And how often it ran again for which ending. What nobody has written is not read again."""
        monkeypatch.setenv(paths.SHARED, str(tmp_path))
        sandbox, here, there = ScriptedSandbox(self.SCRIPT), GoldCache(), GoldCache()
        first = self.keep(sandbox, here, image=MACHINES)
        assert self.keep(sandbox, there, image=MACHINES) == first
        [file] = tmp_path.glob("*.json")
        for keeper in [here, there] * ENOUGH:
            assert self.keep(sandbox, keeper, image=MACHINES, unlike="theirs") == first
        assert json.loads(file.read_text())["rechecks"] == {"theirs": ENOUGH}
        version = file.stat().st_ino, file.stat().st_mtime_ns
        assert self.keep(sandbox, here, image=MACHINES, unlike="theirs") == first
        assert (file.stat().st_ino, file.stat().st_mtime_ns) == version
        sandbox.script["act"] = ScriptedAnswer("said another thing\n", changes=(MADE,))
        assert self.keep(sandbox, here, image=MACHINES, unlike="another").volatile
        assert not self.keep(sandbox, there, image=MACHINES).volatile
        assert self.keep(sandbox, there, image=MACHINES, unlike="another").volatile
        assert self.keep(sandbox, there, image=MACHINES).volatile

    def test_a_volatile_gold_is_run_again_with_the_agents_start(self, sandbox: Sandbox) -> None:
        keeper = GoldCache()
        for start in (START, START + 100, START + 200):
            gold = keeper.gold(sandbox, IMAGE, "stat -c %Y /shop/now.txt", started_at=start, limits=LIMITS)
            assert gold.volatile
            assert gold.exact.answer == gold.paper.answer == f"{start:.0f}\n"
