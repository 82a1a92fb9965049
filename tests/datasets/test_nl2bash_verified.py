"""nl2bash-verified, task by task in real episodes: right answers are paid, near misses and doing nothing are not.

Right answers are the accepted golds, and variations of them in `solutions/nl2bash_verified.jsonl`.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from intercode.datasets.nl2bash import checks
from intercode.datasets.nl2bash.verified import FOLDER, NL2BashVerifiedDataset
from intercode.datasets.verified import changes_in
from intercode.types import Action, Task
from intercode.worlds.bash import BashEnv
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.sandbox import Sandbox

CHANGES = changes_in(FOLDER)
IDS = [id for id, change in CHANGES.items() if not change.left_out]


class Variations(msgspec.Struct, forbid_unknown_fields=True):
    """Right answers to a task that are not among its golds."""

    id: str
    right: list[str]


LINES = (Path(__file__).parent / "solutions" / "nl2bash_verified.jsonl").read_bytes().splitlines()
VARIATIONS = {each.id: each.right for each in (msgspec.json.decode(line, type=Variations) for line in LINES)}

PROGRAMS = {
    **dict.fromkeys(("fs1/11", "fs1/12"), "bzip2"),
    **dict.fromkeys(("fs2/2", "fs3/54"), "tree"),
    **dict.fromkeys(("fs4/21", "fs4/23"), "cal"),
    "fs4/26": "jq",
    "fs4/5": "pstree",
}
"""What right answers need that a machine may lack; the image `debian` has it."""

HOST = {
    "fs3/32": "/usr is this machine's, and cannot be written to",
    "fs4/2": "/usr is this machine's, with a c++ of its own, perhaps",
    "fs4/22": "there are as many users in all as are logged in",
}
"""Why the image `host` cannot play some: the certificate does, on `debian`."""

SPANS = [
    *("fs1/11", "fs1/12", "fs1/46", "fs1/47", "fs2/17", "fs2/18", "fs2/19", "fs2/25", "fs2/32", "fs2/39", "fs2/41"),
    *("fs3/0", "fs3/2"),
]
"""The tasks that ask for a span of time."""


@pytest.fixture(scope="module")
def env(sandbox: Sandbox, published_data: Path) -> Iterator[BashEnv]:
    dataset = NL2BashVerifiedDataset(folder=published_data / "nl2bash")
    with BashEnv(dataset, sandbox=sandbox, image=images.find("host"), scoring="exact") as env:
        yield env


def is_paid(env: BashEnv, task: Task, text: str) -> bool:
    """Whether *text* alone, run in a fresh episode, is paid in full; without a text nothing is run."""
    env.start_episode(task)
    if text:
        env.take_action(Action("execute", text))
    scores = env.judge()
    assert scores is not None
    return scores["exact"].success


def test_every_task_has_a_line_with_near_misses_and_two_right_answers_or_more(env: BashEnv) -> None:
    assert [f"nl2bash-verified/{id}" for id in IDS] == [task.id for task in env.dataset]
    for id in IDS:
        assert len(CHANGES[id].near_misses) >= 2, id
        assert len({*env.dataset.find(id).golds, *VARIATIONS.get(id, ())}) >= 2, id


def test_every_variation_is_of_a_task_and_no_gold_of_it() -> None:
    assert VARIATIONS.keys() <= set(IDS)
    for id, right in VARIATIONS.items():
        assert len(set(right)) == len(right)
        assert not {*right} & {*CHANGES[id].near_misses}


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
def test_right_answers_are_paid_and_near_misses_are_not(id: str, env: BashEnv) -> None:
    if id in HOST:
        pytest.skip(HOST[id])
    if id in PROGRAMS and not shutil.which(PROGRAMS[id]):
        pytest.skip(f"this machine has no `{PROGRAMS[id]}`")
    task = env.dataset.find(id)
    refused = [text for text in (*task.golds, *VARIATIONS.get(id, ())) if not is_paid(env, task, text)]
    paid = [text for text in ("", *CHANGES[id].near_misses) if is_paid(env, task, text)]
    assert (refused, paid) == ([], [])


def test_ages_are_those_of_now_for_all_though_somebody_began_at_another_time(env: BashEnv) -> None:
    """What golds did is kept: files that are a day younger for one who comes first are not so for the next."""
    task = env.dataset.find("fs1/47")
    late = next(text for text in task.extra["near_misses"] if "-mtime +3 " in text)
    with (
        EmbeddedSandbox() as sandbox,
        BashEnv(env.dataset, sandbox=sandbox, image=images.find("host"), scoring="exact") as fresh,
    ):
        for text in (task.golds[1], late):
            fresh.start_episode(task, started_at=time.time() + 86_400)
            fresh.take_action(Action("execute", text))
            fresh.judge()
        assert not is_paid(fresh, task, late)
        assert is_paid(fresh, task, task.golds[1])


@pytest.mark.parametrize("id", SPANS)
def test_of_a_span_of_time_files_lie_on_both_sides_near_to_its_end(id: str) -> None:
    """A file that is out and one that is in: a unit or a sign that is wrong shows."""
    number = id.partition("/")[0]
    ages = [file.age for name, each in CHANGES.items() if name.startswith(number) for file in each.files.values()]
    assert sum(bool(age) for age in ages) >= 2
    wrong_units = [text for text in CHANGES[id].near_misses if "-mmin" in text or "-mtime" in text]
    assert len(wrong_units) >= 5


def test_what_the_check_takes_for_the_file_before_is_what_is_planted() -> None:
    assert CHANGES["fs2/42"].files[checks.DATED].text == checks.BEFORE
