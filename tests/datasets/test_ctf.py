"""The published set of capture the flag: a small one in its form, and what of the real one is at hand."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from published_flags import BY_TOOLS, SERVICES, SOLUTIONS

from intercode.datasets import load
from intercode.datasets.base import Dataset
from intercode.datasets.sources import SOURCES
from intercode.datasets.sources.folders import MARK
from intercode.errors import BadDataError, DownloadError, SandboxError
from intercode.testing.dataset import DatasetContract
from intercode.types import Action
from intercode.worlds.ctf import CtfEnv
from intercode.worlds.ctf.datasets.ctf.dataset import CtfDataset
from intercode.worlds.ctf.datasets.ctf.published_challenges import CORRECTED, EXCLUDED, SETUP_LEFT_OUT
from intercode.worlds.ctf.env import RIGHT, UNKNOWN
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Sandbox

TASKS = [
    {"task_id": 3, "query": "Read it.", "gold": "toy{Read}", "tags": ["Forensics", "More"], "source": "nowhere"},
    {"task_id": 9, "query": "Ask the server.", "gold": "toy{asked}", "tags": ["General Skills"]},
    {"task_id": 14, "query": "Take it apart.", "gold": "toy{apart}", "setup": "exit 1"},
    {"task_id": 15, "query": "Turn it.", "gold": CORRECTED[15].published},
    {"task_id": 17, "query": "What is 0x70?", "gold": "toy{p}"},
    {"task_id": 21, "query": "Turn it round.", "gold": "toy{round}", "setup": "rev plain > turned && rm plain"},
    {"task_id": 22, "query": "Cannot be begun.", "gold": "toy{no}", "setup": "echo 'out of oranges' >&2; exit 3"},
    {"task_id": 50, "query": "Find the file.", "gold": "toy{gone}"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of a few tasks in the published form, with solutions that must not be seen."""
    assets = tmp_path / "task_assets"
    files = {
        "3/letter.txt": "dG95e1JlYWR9\n",
        "3/tools/show.sh": "#!/bin/sh\nbase64 -d letter.txt\n",
        "3/solution/README.md": "It is toy{Read}, of course.\n",
        "3/tools/solution/deep/answer.txt": "toy{Read}\n",
        "14/box": "nothing\n",
        "15/x": "nothing\n",
        "21/plain": "toy{round}\n",
    }
    for path, text in files.items():
        (assets / path).parent.mkdir(parents=True, exist_ok=True)
        (assets / path).write_text(text)
    (assets / "3/tools/show.sh").chmod(0o755)
    (assets / "3/link").symlink_to("/etc/passwd")
    (tmp_path / "ic_ctf.json").write_text(json.dumps(TASKS))
    return tmp_path


@pytest.fixture
def env(folder: Path, sandbox: Sandbox) -> Iterator[CtfEnv]:
    with CtfEnv(CtfDataset(folder=folder), sandbox=sandbox, image="host", scoring="exact") as env:
        yield env


def begun(env: CtfEnv, number: int) -> CtfEnv:
    env.start_episode(env.dataset.find(f"ctf/{number}"))
    return env


def seen(env: CtfEnv, command: str) -> str:
    return env.take_action(Action("execute", command)).observation.text


class TestContract(DatasetContract):
    @pytest.fixture
    def dataset(self, folder: Path) -> Dataset:
        return CtfDataset(folder=folder)


class TestPublishedContract(DatasetContract):
    @pytest.fixture
    def dataset(self, published: Path) -> Dataset:
        return load("ctf")


def test_tasks_are_called_by_their_numbers(folder: Path) -> None:
    dataset = CtfDataset(folder=folder)
    assert [task.id for task in dataset] == [f"ctf/{task['task_id']}" for task in TASKS]
    assert (dataset[0].category, dataset[1].category, dataset[2].category) == ("forensics", "general skills", "")


def test_a_shell_starts_in_the_tasks_folder_with_its_files(env: CtfEnv) -> None:
    assert seen(begun(env, 3), "pwd; find . | sort; stat -c '%U %a' letter.txt") == (
        "/ctf/3\n.\n./letter.txt\n./tools\n./tools/show.sh\nroot 644\n"
    )
    assert seen(env, "./tools/show.sh") == "toy{Read}"
    assert env.take_action(Action("submit", "toy{Read}")).observation.text == RIGHT


def test_a_task_without_files_has_an_empty_folder(env: CtfEnv) -> None:
    assert seen(begun(env, 17), "pwd; ls -A") == "/ctf/17\n"


def test_no_flag_is_in_the_sandbox_but_in_what_the_tasks_brought(env: CtfEnv) -> None:
    """Solutions are left out, however deep; the one flag that is found is a task's own file."""
    begun(env, 3)
    assert seen(env, "grep -rlsF -e 'toy{' -e 'of course' / --exclude-dir=proc --exclude-dir=usr") == "/ctf/21/plain\n"
    assert seen(env, "find / -xdev -name 'solution' -not -path '/usr/*'") == ""


def test_the_set_up_is_run_before_the_agent_comes(env: CtfEnv) -> None:
    assert seen(begun(env, 21), "cat turned; ls") == "}dnuor{yot\nturned\n"


def test_a_set_up_that_needs_the_network_is_left_out(env: CtfEnv) -> None:
    assert seen(begun(env, 14), "ls") == "box\n"


def test_a_set_up_that_fails_is_the_machines_failure(env: CtfEnv) -> None:
    with pytest.raises(SandboxError, match="set-up command of ctf/22 failed with 3: out of oranges"):
        begun(env, 22)


def test_what_nobody_can_solve_can_be_played_and_counts_in_no_score(env: CtfEnv) -> None:
    task = env.dataset.find("ctf/9")
    assert (task.gold, task.excluded, task.view().excluded) == (None, EXCLUDED[9], EXCLUDED[9])
    env.start_episode(task)
    turn = env.take_action(Action("submit", "toy{asked}"))
    assert (turn.observation.text, turn.scores, turn.reward) == (UNKNOWN, None, 0.0)


def test_it_counts_for_whoever_asks_for_it(folder: Path, sandbox: Sandbox) -> None:
    dataset = CtfDataset(folder=folder, excluded=True, incomplete=True)
    assert [task.excluded for task in dataset] == [""] * len(TASKS)
    with CtfEnv(dataset, sandbox=sandbox, image="host") as env:
        assert begun(env, 9).take_action(Action("submit", "toy{asked}")).reward == 1.0


def test_a_flag_that_was_published_wrong_is_corrected_in_exact_alone(folder: Path, sandbox: Sandbox) -> None:
    wrong, right = CORRECTED[15].published, CORRECTED[15].flag
    for scoring, submitted, reward in (
        ("exact", right, 1.0),
        ("exact", wrong, 0.0),
        ("paper", wrong, 1.0),
        ("paper", right, 0.0),
    ):
        with CtfEnv(CtfDataset(folder=folder), sandbox=sandbox, image="host", scoring=scoring) as env:  # type: ignore[arg-type]
            assert begun(env, 15).take_action(Action("submit", submitted)).reward == reward


def test_a_flag_that_was_published_otherwise_is_not_corrected(folder: Path) -> None:
    """Where the file has been mended, it stands as it is."""
    (folder / "ic_ctf.json").write_text(json.dumps([{"task_id": 15, "query": "Turn it.", "gold": "toy{mended}"}]))
    dataset = CtfDataset(folder=folder)
    assert dataset.challenge(dataset[0], 0).flag == "toy{mended}"


def test_missing_files_are_named_when_the_task_is_begun(env: CtfEnv) -> None:
    with pytest.raises(DownloadError, match=r"task_assets/50 is missing: `intercode data get ctf`"):
        begun(env, 50)


def test_missing_files_are_an_empty_folder_for_whoever_says_so(folder: Path, sandbox: Sandbox) -> None:
    with CtfEnv(CtfDataset(folder=folder, incomplete=True), sandbox=sandbox, image="host") as env:
        assert seen(begun(env, 50), "ls -A") == ""


def test_a_whole_set_has_tasks_without_files(folder: Path) -> None:
    """What was fetched whole lacks nothing, whatever is not there."""
    (folder / "task_assets" / MARK).write_text(SOURCES["ctf"].commit)
    dataset = CtfDataset(folder=folder)
    assert dataset.challenge(dataset.find("ctf/50"), 0).flag == "toy{gone}"


@pytest.mark.parametrize("number", ["7", None, True, 1.5])
def test_a_task_without_a_number_is_refused(folder: Path, number: object) -> None:
    (folder / "ic_ctf.json").write_text(json.dumps([{"task_id": number, "query": "?", "gold": "!"}]))
    with pytest.raises(BadDataError, match=r"ic_ctf\.json: .*, field 'task_id': expected a number"):
        CtfDataset(folder=folder)


def test_a_missing_file_of_tasks_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="intercode data get ctf"):
        CtfDataset(folder=tmp_path)


def test_all_published_tasks_are_there_and_those_that_count_have_flags(published: Path) -> None:
    dataset = load("ctf")
    assert [task.id for task in dataset] == [f"ctf/{number}" for number in range(100)]
    assert {int(task.extra["task_id"]) for task in dataset if task.excluded} == EXCLUDED.keys()
    assert {int(task.extra["task_id"]) for task in dataset if task.gold is None} == EXCLUDED.keys()
    assert {int(task.extra["task_id"]) for task in dataset if task.extra.get("setup")} == SETUP_LEFT_OUT.keys()


def test_every_correction_is_of_what_was_published(published: Path) -> None:
    dataset = load("ctf")
    for number, correction in CORRECTED.items():
        assert dataset[number].gold == correction.published
        assert correction.flag != correction.published


@pytest.fixture(scope="module")
def real(published_data: Path, sandbox: Sandbox) -> Iterator[CtfEnv]:
    with CtfEnv("ctf", sandbox=sandbox, image="host", scoring="exact") as env:
        yield env


@pytest.mark.parametrize("number", sorted(SOLUTIONS.keys() - SERVICES - BY_TOOLS))
def test_published_flags_are_found_in_what_the_tasks_bring(real: CtfEnv, number: int) -> None:
    try:
        begun(real, number)
    except DownloadError as error:
        pytest.skip(str(error))
    real.current_session.write("/tmp/solve.py", SOLUTIONS[number].read_bytes())
    flag = seen(real, f"python3 /tmp/solve.py {shlex.quote(real.dataset[number].query)}").strip()
    assert real.take_action(Action("submit", flag)).reward == 1.0, flag


def test_the_published_flag_of_the_long_number_is_what_was_encrypted(published_data: Path) -> None:
    """Its factors take hours, but what is encrypted by the published key can be compared."""
    values = (published_data / "ctf" / "task_assets" / "12" / "values").read_text()
    cipher, modulus, exponent = (int(re.findall(rf"{name}: (\d+)", values)[0]) for name in "cne")
    flag = int.from_bytes((load("ctf")[12].gold or "").encode(), "big")
    assert pow(flag, exponent, modulus) == cipher


def built(sandbox: EmbeddedSandbox, image: Image) -> bool:
    keys = {layer.key for layer in sandbox.store.built()}
    return all(layer.key in keys for layer in image.layers)


@pytest.mark.conformance
def test_the_image_has_what_the_tasks_ask_for(
    published_data: Path, sandbox: EmbeddedSandbox, request: pytest.FixtureRequest
) -> None:
    """With `--conformance=whole` it is built if need be."""
    image = images.find("ctf")
    if request.config.getoption("--conformance") != "whole" and not built(sandbox, image):
        pytest.skip("the image is not built, which takes minutes: `intercode images build ctf`, or --conformance=whole")
    tools = (
        *("python3", "gcc", "gdb", "objdump", "strings", "mmls", "fls", "icat", "srch_strings", "nc", "unzip", "xxd"),
        *("file", "exiftool", "tesseract", "pdftotext", "tshark", "binwalk", "convert", "openssl", "curl", "wget"),
    )
    with CtfEnv(load("ctf"), sandbox=sandbox, image=image) as env:
        begun(env, 17)
        assert seen(env, f"for tool in {' '.join(tools)}; do command -v $tool >/dev/null || echo $tool; done") == ""
        code = "from Crypto.Cipher import AES; from Crypto.PublicKey import RSA; import cryptography.fernet"
        assert seen(env, f'python3 -c "{code}; print(RSA.generate(1024).n.bit_length())"') == "1024\n"
        assert seen(env, "printf 'int main() { return 7; }' > a.c && gcc a.c && ./a.out; echo $?") == "7\n"
