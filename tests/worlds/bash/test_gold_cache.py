"""The gold's ending: what runs of it in fresh sessions tell, and that it is found out once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from env.tiny import TinyDataset
from intercode.errors import SandboxError
from intercode.rewards.core.file_endings import Gold
from intercode.worlds.bash import BashEnv
from intercode.worlds.bash.gold_cache import GoldCache
from intercode.worlds.bash.gold_runs import SECONDS, FreshSessions, study_gold
from intercode.worlds.bash.scoring.git_tracked import TrackedFiles
from intercode_sandbox import images
from intercode_sandbox.deadline import PATIENCE
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Change, Entry, Limits, Sandbox, Snapshot
from intercode_sandbox.scripted import ScriptedAnswer, ScriptedSandbox, ScriptedSession
from intercode_sandbox.util import paths

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

    @pytest.mark.parametrize(
        "text",
        ["date +%Y", "free -m | wc -l", "df / | wc -l", "wc -l < /proc/meminfo", "touch /shop/made; ls -l /shop/made",
         "touch /shop/log-$(python3 -c 'import datetime as d; print(d.datetime.now().date())')"],
    )  # fmt: skip
    def test_what_differs_from_day_to_day_is_volatile_though_two_runs_do_the_same(
        self, study: Study, text: str
    ) -> None:
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
    ) -> Gold:
        return keeper.gold(sandbox, image, "act", started_at=start, limits=LIMITS)

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
        half: dict[str, object] = {"paper": {}, "exact": {}, "explicit_times": 1}
        broken = [half, {"exact": "x"}, {**whole, "paper": None}, {**whole, "start_times": 1}, {**whole, "more": 1}]
        for text in ("", "{", "[]", "{}", '{"gold": 1}', *map(json.dumps, broken)):
            file.write_text(text)
            again = self.keep(ScriptedSandbox(self.SCRIPT), GoldCache())
            assert (again.exact.changes, again.exact.answer, again.start_times) == (
                (MADE,),
                "said\n",
                first.start_times,
            )
        assert json.loads(file.read_text())["exact"]["answer"] == "said\n"

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

    def test_processes_of_a_run_share_what_one_has_found(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where no other run would find the same, too."""
        monkeypatch.setenv(paths.SHARED, str(tmp_path))
        sandbox = ScriptedSandbox(self.SCRIPT)
        first = self.keep(sandbox, GoldCache(), image=MACHINES)
        sandbox.script["act"] = ScriptedAnswer("said another thing\n")
        assert self.keep(sandbox, GoldCache(), image=MACHINES) == first
        assert len(list(tmp_path.glob("*.json"))) == 1

    def test_a_volatile_gold_is_run_again_with_the_agents_start(self, sandbox: Sandbox) -> None:
        keeper = GoldCache()
        for start in (START, START + 100, START + 200):
            gold = keeper.gold(sandbox, IMAGE, "stat -c %Y /shop/now.txt", started_at=start, limits=LIMITS)
            assert gold.volatile
            assert gold.exact.answer == gold.paper.answer == f"{start:.0f}\n"


class TestTime:
    """What a busy machine cuts is no fact: it is in no memory, on no disk, and with no other process of the run."""

    CUT = ScriptedAnswer("said", timed_out=True, seconds=SECONDS)
    WHOLE = ScriptedAnswer("said\nmore\n", changes=(MADE,))

    def keep(self, sandbox: Sandbox, keeper: GoldCache, *, image: Image = PLAIN) -> Gold:
        return keeper.gold(sandbox, image, "act", started_at=START, limits=LIMITS)

    def files(self, shared: Path) -> list[Path]:
        return [file for folder in (paths.cache() / "golds", shared) for file in folder.rglob("*.json")]

    @pytest.mark.parametrize("image", [PLAIN, MACHINES])
    def test_a_gold_that_was_cut_is_studied_again(
        self, image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(paths.SHARED, str(tmp_path))
        sandbox, keeper = ScriptedSandbox({"act": self.CUT}), GoldCache()
        cut = self.keep(sandbox, keeper, image=image)
        assert (cut.cut, cut.failed, cut.volatile) == (True, True, False)
        assert self.files(tmp_path) == []
        sandbox.script["act"] = self.WHOLE
        whole = self.keep(sandbox, keeper, image=image)
        assert (whole.cut, whole.failed, whole.exact.answer) == (False, False, "said\nmore\n")
        assert len(self.files(tmp_path)) == 1

    @pytest.mark.parametrize("which", [2, 4, 5, 6, 7])
    def test_whichever_of_its_runs_was_cut_nothing_follows(self, which: int) -> None:
        """The second of a study does not make it volatile, nor one with shuffled folders settle its order."""
        sandbox, keeper = CuttingSandbox({"act": self.WHOLE}, which), GoldCache()
        assert self.keep(sandbox, keeper).cut
        again = self.keep(sandbox, keeper)
        assert (again.cut, again.volatile, again.failed) == (False, False, False)

    def test_a_gold_that_got_no_time_is_the_machines_error(self) -> None:
        """It was given ten times its time by the clock, and has not used it: nobody knows what it would have done."""
        starved = replace(self.CUT, seconds=PATIENCE * SECONDS)
        sandbox, keeper = ScriptedSandbox({"act": starved}), GoldCache()
        with pytest.raises(SandboxError, match="too busy to judge"):
            self.keep(sandbox, keeper)
        sandbox.script["act"] = self.WHOLE
        assert not self.keep(sandbox, keeper).failed

    def test_an_image_whose_files_were_not_listed_in_time_is_the_machines_error(self) -> None:
        sandbox, keeper = ScriptedSandbox({"-print0": self.CUT, "act": self.WHOLE}), GoldCache()
        with pytest.raises(SandboxError, match="could not be listed"):
            self.keep(sandbox, keeper)
        sandbox.script["-print0"] = ScriptedAnswer("./a\0")
        assert keeper.tracked_files(sandbox, PLAIN) == TrackedFiles.of(["/a"])

    def test_in_one_episode_it_is_waited_for_once(self) -> None:
        """The next one tries again."""
        task = replace(DATASET[0], gold="act")
        with BashEnv(DATASET, sandbox=ScriptedSandbox({"act": self.CUT})) as env:
            env.start_episode(task)
            first = env.gold_endings()
            assert [gold.cut for gold in first] == [True]
            assert env.gold_endings()[0] is first[0]
            env.start_episode(task)
            assert env.gold_endings()[0] is not first[0]


class CuttingSandbox(ScriptedSandbox):
    """The run of number *which*, counted from 1, of the last of its script is cut, and no other."""

    def __init__(self, script: dict[str, ScriptedAnswer], which: int) -> None:
        super().__init__(script)
        self.which, self.played = which, 0

    def start(
        self, image: Image, *, snapshot: Snapshot | None = None, started_at: float | None = None,
        limits: Limits | None = None, shuffle: int = 0,
    ) -> ScriptedSession:  # fmt: skip
        self.played += started_at is not None
        self.script["act"] = TestTime.CUT if self.played == self.which else TestTime.WHOLE
        return super().start(image, snapshot=snapshot, started_at=started_at, limits=limits, shuffle=shuffle)
