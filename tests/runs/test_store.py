"""A run's directory: what is written stays, whatever happens to the writer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from toy_world import toy_job

from intercode.errors import BadDataError, MachineError, UserError
from intercode.runs import store
from intercode.runs.store import TORN, RunStore
from intercode.types import Action, Observation, TaskView, Trajectory, Turn, trajectories
from intercode.types.trajectories import EPISODES

MANIFEST = toy_job().manifest


def episode(number: int = 0, *, repeat: int = 0, text: str = "", error: str = "") -> Trajectory:
    turns = (Turn(Action("submit"), Observation(text)),)
    task = TaskView(f"toy/{number}", "?", "toy")
    return Trajectory(task, "toy", "error" if error else "submitted", turns, repeat=repeat, error=error)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "one"


def test_what_is_appended_is_read_back(folder: Path) -> None:
    with RunStore.create(folder, MANIFEST) as run:
        run.append(episode(0))
        run.append(episode(1, text="line\nbreak \ud800 \x00"))
    found = store.read(folder)
    assert replace(found.manifest, begun_in="") == MANIFEST
    assert (folder / found.manifest.begun_in).resolve() == Path.cwd()
    assert found.episodes == (episode(0), episode(1, text="line\nbreak \ud800 \x00"))
    assert found.missing == 1


def test_the_path_of_a_run_may_be_a_text(folder: Path) -> None:
    with RunStore.create(str(folder), MANIFEST) as run:
        run.append(episode(0))
    with RunStore.resume(str(folder)) as run:
        run.append(episode(1))
    found = store.read(str(folder))
    assert (found.path, len(found.episodes)) == (folder, 2)
    assert trajectories.read(str(folder / EPISODES))[0] == found.episodes
    with pytest.raises(BadDataError, match=r"^no run in nowhere: there is no such directory"):
        store.read("nowhere")


def test_each_episode_is_one_line_of_json_on_the_disk_at_once(folder: Path) -> None:
    with RunStore.create(folder, MANIFEST) as run:
        run.append(episode(0, text="a\nb\r\nc\u2028d"))
        lines = (folder / EPISODES).read_bytes().split(b"\n")
    assert len(lines) == 2
    assert json.loads(lines[0])["task"]["id"] == "toy/0"


def test_what_many_threads_append_at_once_is_all_there_when_each_returns(folder: Path) -> None:
    def append(number: int) -> bool:
        run.append(episode(number, text="x" * number))
        return f'"id":"toy/{number}"'.encode() in (folder / EPISODES).read_bytes()

    with RunStore.create(folder, MANIFEST) as run, ThreadPoolExecutor(16) as pool:
        assert all(pool.map(append, range(200)))
    found = store.read(folder).episodes
    assert {each.task.id: len(each.turns[0].observation.text) for each in found} == {
        f"toy/{number}": number for number in range(200)
    }


def test_after_the_disk_has_failed_nothing_more_is_believed_to_be_on_it(folder: Path) -> None:
    """A pipe in the file's place stands for a disk that takes everything and keeps nothing."""
    with RunStore.create(folder, MANIFEST) as run:
        run.append(episode(0))
        reader, writer = os.pipe()
        os.dup2(writer, run._file)
        for number in (1, 2):
            with pytest.raises(MachineError, match="the 1 episodes in it are whole"):
                run.append(episode(number))
        os.close(reader)
        os.close(writer)
    assert store.read(folder).episodes == (episode(0),)


def test_outlines_of_a_run_have_what_figures_need_and_no_text(folder: Path) -> None:
    with RunStore.create(folder, MANIFEST) as run:
        run.append(episode(0, text="long"))
    (outline,) = store.read(folder, outlines=True).episodes
    assert (outline.task.id, len(outline.turns), outline.turns[0].observation.text) == ("toy/0", 1, "")


def test_a_run_can_be_read_by_any_file_in_it(folder: Path) -> None:
    RunStore.create(folder, MANIFEST).close()
    assert store.read(folder / EPISODES).path == folder


def test_going_on_adds_to_what_is_there(folder: Path) -> None:
    with RunStore.create(folder, MANIFEST) as run:
        run.append(episode(0))
    with RunStore.resume(folder) as run:
        assert run.finished() == {("toy/0", 0)}
        run.append(episode(1))
    assert store.read(folder).episodes == (episode(0), episode(1))


def test_an_error_is_to_be_played_again_and_then_replaced(folder: Path) -> None:
    with RunStore.create(folder, MANIFEST) as run:
        run.append(episode(0, error="SandboxError: gone"))
        assert run.finished() == frozenset()
        run.append(episode(0))
        assert run.finished() == {("toy/0", 0)}
    assert store.read(folder).episodes == (episode(0),)
    assert len((folder / EPISODES).read_bytes().splitlines()) == 2


def test_repeats_of_a_task_are_episodes_of_their_own(folder: Path) -> None:
    with RunStore.create(folder, MANIFEST) as run:
        run.append(episode(0))
        run.append(episode(0, repeat=1))
    assert len(store.read(folder).episodes) == 2


@pytest.mark.parametrize("torn", [b'{"task":{"id":"toy/1"', b"\0" * 100 + b"\n", b"\0" * 100])
def test_a_torn_last_line_is_set_aside_with_a_message(folder: Path, torn: bytes) -> None:
    with RunStore.create(folder, MANIFEST) as run:
        run.append(episode(0))
    whole = (folder / EPISODES).read_bytes()
    (folder / EPISODES).write_bytes(whole + torn)
    assert store.read(folder).episodes == (episode(0),)
    with RunStore.resume(folder) as run:
        assert "torn" in run.note
        run.append(episode(1))
    assert store.read(folder).episodes == (episode(0), episode(1))
    assert (folder / TORN).read_bytes() == torn.rstrip(b"\n") + b"\n"


def test_a_spoilt_line_in_the_middle_is_named(folder: Path) -> None:
    with RunStore.create(folder, MANIFEST) as run:
        run.append(episode(0))
    line = (folder / EPISODES).read_bytes()
    (folder / EPISODES).write_bytes(line + b"{}\n" + line)
    for read in (store.read, RunStore.resume):
        with pytest.raises(BadDataError, match=r"episodes\.jsonl, line 2: not an episode: 'task' is missing"):
            read(folder)
    RunStore.create(folder.with_name("two"), MANIFEST).close()


def test_a_second_writer_is_turned_away(folder: Path) -> None:
    with RunStore.create(folder, MANIFEST), pytest.raises(UserError, match="another process is writing"):
        RunStore.resume(folder)
    RunStore.resume(folder).close()


def test_the_lock_dies_with_its_process(folder: Path) -> None:
    RunStore.create(folder, MANIFEST).close()
    holding = (
        "import sys, time; from pathlib import Path; from intercode.runs.store import RunStore\n"
        "store = RunStore.resume(Path(sys.argv[1])); print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", holding, str(folder)], stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UserError, match="another process is writing"):
            RunStore.resume(folder)
        holder.kill()
    RunStore.resume(folder).close()


def test_a_run_is_never_begun_over_another(folder: Path) -> None:
    RunStore.create(folder, MANIFEST).close()
    with pytest.raises(UserError, match="already holds a run"):
        RunStore.create(folder, MANIFEST)


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UserError, match="not empty"):
        RunStore.create(tmp_path, MANIFEST)
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_a_run_that_was_killed_before_it_had_a_manifest_can_be_begun_again(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / EPISODES).touch()
    (folder / "manifest.json.new").write_text("{")
    RunStore.create(folder, MANIFEST).close()
    assert replace(store.read(folder).manifest, begun_in="") == MANIFEST


def test_another_versions_run_is_refused_with_the_way_out(folder: Path) -> None:
    RunStore.create(folder, MANIFEST).close()
    data = json.loads((folder / "manifest.json").read_text())
    data |= {"format": 99, "machine": {"intercode": "9.9"}}
    (folder / "manifest.json").write_text(json.dumps(data))
    for read in (store.read, RunStore.resume):
        with pytest.raises(BadDataError, match=r"format 99, written by intercode 9\.9; .* use that version"):
            read(folder)


@pytest.mark.parametrize(
    ("settings", "says"), [({"turns": "ten"}, r"`int`, got `str` - at `\$\.turns`"), ({"tvrns": 10}, "know: tvrns")]
)
def test_settings_of_another_kind_are_named(folder: Path, settings: dict[str, object], says: str) -> None:
    RunStore.create(folder, MANIFEST).close()
    data = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(data | {"settings": data["settings"] | settings}))
    with pytest.raises(BadDataError, match=rf"manifest\.json is not a run's manifest: .*{says}"):
        RunStore.resume(folder)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', '{"format": 1, "settings": 3}', "\xff"])
def test_a_manifest_that_is_none_is_named(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(text, encoding="latin-1")
    with pytest.raises(BadDataError, match=r"manifest\.json"):
        store.read(folder)


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match=r"has no manifest\.json"):
        store.read(tmp_path)
    with pytest.raises(BadDataError, match="no such directory"):
        store.read(tmp_path / "nothing")


def test_a_file_where_the_run_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UserError, match="choose another directory"):
            RunStore.create(path, MANIFEST)


FILL = """
import sys
from pathlib import Path
from intercode.errors import MachineError
from intercode.runs.store import RunStore
sys.path.insert(0, sys.argv[2])
from test_store import MANIFEST, episode
with RunStore.create(Path(sys.argv[1]), MANIFEST) as run:
    try:
        for number in range(1000):
            run.append(episode(number, text="x" * 5000))
    except MachineError as error:
        print(number, error)
"""


def test_a_full_disk_loses_nothing_of_what_was_written(tmp_path: Path) -> None:
    """On a real file system that is full, where an unprivileged user namespace lets us mount one."""
    mount = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    if subprocess.run([*mount, "mount -t tmpfs none /mnt"], check=False, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a file system in a namespace of their own")
    small, kept = tmp_path / "small", tmp_path / "kept"
    small.mkdir()
    script = f'mount -t tmpfs -o size=64k none {small} && "$@"; cp -r {small} {kept}'
    here = str(Path(__file__).parent)
    command = [*mount, script, "sh", sys.executable, "-c", FILL, str(small / "run"), here]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    number, _, message = done.stdout.partition(" ")
    assert "No space left on device" in message
    assert f"(the {number} episodes in it are whole)\n  fix: make room\n  resume: intercode run --resume" in message
    with RunStore.resume(kept / "run") as run:
        assert run.note == ""
        assert len(run.finished()) == int(number) > 3


def test_what_cannot_be_written_is_cut_off_again(folder: Path) -> None:
    """The same without a mount: a limit on the size of files stands for the full disk."""
    script = FILL.replace(
        "with RunStore", "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20000,) * 2)\nwith RunStore"
    )
    command = [sys.executable, "-c", script, str(folder), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "File too large" in done.stdout
    whole = (folder / EPISODES).read_bytes()
    assert whole.endswith(b"}\n")
    assert len(store.read(folder).episodes) == int(done.stdout.partition(" ")[0])


def test_no_episode_is_lost_when_its_text_is_odd(folder: Path) -> None:
    odd = replace(episode(), error="\ud800", agent="ä\n", phases={"x": 1e-300})
    with RunStore.create(folder, MANIFEST) as run:
        run.append(odd)
    assert store.read(folder).episodes == (odd,)
