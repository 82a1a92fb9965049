"""What are more turns worth? Two runs of the same tasks from Python, compared as `intercode compare` does."""

from pathlib import Path
from tempfile import TemporaryDirectory

from intercode.report.comparison import compare_runs
from intercode.report.report import report
from intercode.runs.job import prepare
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore, StoredRun, read


def play(folder: Path, turns: int) -> StoredRun:
    """Play a run of so many turns an episode into *folder*."""
    settings = Settings(agent="scripted", agent_options={"script": "starter_bash"}, turns=turns, limit=12)
    with prepare(settings) as job, RunStore.create(folder, job.manifest) as store:
        Runner(job, store, parallel=2).run()
    return read(folder)


with TemporaryDirectory() as folder:
    short, long = play(Path(folder, "short"), 2), play(Path(folder, "long"), 10)
    for run in (short, long):
        made = report(run)
        print(f"{made.name:6}", f"{made.summary.rate:.0%}", [f"turn {at.turn}: {at.rate:.0%}" for at in made.by_turn])
    found = compare_runs(short, long, "exact")
    low, high = found.verdict.interval.low, found.verdict.interval.high
    print(f"{found.difference:+.0%}, between {low:+.0%} and {high:+.0%}; p={found.verdict.p:.3f}")
    print("won:", ", ".join(found.tasks("won")) or "none")
