"""The verified set of capture the flag: its changes, its services, and its tasks, solved by stored programs."""

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
from intercode.datasets.verified import changes_in
from intercode.errors import DownloadError
from intercode.testing.dataset import DatasetContract
from intercode.types import Action
from intercode.worlds.ctf import CtfEnv
from intercode.worlds.ctf.datasets.ctf.published_challenges import CORRECTED, EXCLUDED
from intercode.worlds.ctf.datasets.ctf.verified import FOLDER, CtfVerifiedDataset
from intercode.worlds.ctf.env import RIGHT
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.sandbox import Sandbox

CHANGES = changes_in(FOLDER)

PRINTS = """#include <stdio.h>
int main() { char flag[64] = "%s"; FILE *f = fopen("flag.txt", "r"); if (!flag[0]) fgets(flag, 63, f); puts(flag); }
"""
SOURCES = {
    "42/store.c": PRINTS % "",
    "57/morse.py": 'def encrypt(text):\n    return " ".join(text)\n',
    "89/game-redacted.c": PRINTS % "[REDACTED]",
    "95/compress_and_attack.py": 'print(open("./flag").read())\n',
}
"""In the place of the published programs: each shows the flag at once."""

CONNECTS = """python3 -c '
import socket
line = socket.create_connection(("{name}", {port}))
line.sendall(b"{says}")
line.shutdown(socket.SHUT_WR)
print(line.makefile().read())
' | grep -a -e TOY -e "T O Y" -e chose -e OK"""
"""What of the answer matters."""

REQUEST = r"{method} / HTTP/1.1\r\nHost: x\r\n\r\n"


def toy_flag(number: int) -> str:
    return f"picoCTF{{TOY{number}}}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set in the published form that has nothing of the published one but its numbers."""
    folder = tmp_path_factory.mktemp("toy")
    for path, text in SOURCES.items():
        (folder / "task_assets" / path).parent.mkdir(parents=True)
        (folder / "task_assets" / path).write_text(text)
    tasks = [{"task_id": number, "query": "Find it.", "gold": toy_flag(number)} for number in range(100)]
    (folder / "ic_ctf.json").write_text(json.dumps(tasks))
    return folder


@pytest.fixture(scope="module")
def toy(folder: Path, sandbox: Sandbox) -> Iterator[CtfEnv]:
    dataset = CtfVerifiedDataset(folder=folder, incomplete=True)
    with CtfEnv(dataset, sandbox=sandbox, image="host") as env:
        yield env


@pytest.fixture(scope="module")
def real(published_data: Path, sandbox: Sandbox) -> Iterator[CtfEnv]:
    with CtfEnv("ctf-verified", sandbox=sandbox, image="host") as env:
        yield env


def begun(env: CtfEnv, number: int) -> CtfEnv:
    env.start_episode(env.dataset.find(f"ctf-verified/{number}"))
    return env


def seen(env: CtfEnv, command: str) -> str:
    return env.take_action(Action("execute", command)).observation.text


def solved(env: CtfEnv, number: int) -> str:
    """What the stored program for the task says in a fresh session."""
    try:
        begun(env, number)
    except DownloadError as error:
        pytest.skip(str(error))
    env.current_session.write("/tmp/solve.py", SOLUTIONS[number].read_bytes())
    return seen(env, f"PYTHONPATH=. python3 /tmp/solve.py {shlex.quote(env.task.query)}").strip()


class TestContract(DatasetContract):
    @pytest.fixture
    def dataset(self, published: Path) -> Dataset:
        return load("ctf-verified")


def test_what_nobody_can_solve_as_published_is_left_out_or_gets_a_service() -> None:
    for number in EXCLUDED:
        change = CHANGES[str(number)]
        assert change.left_out != (change.service is not None), number
    assert {int(id) for id, change in CHANGES.items() if change.service} == SERVICES


def test_flags_that_were_published_wrong_are_corrected_and_the_wrong_ones_must_not_be_paid() -> None:
    for number, correction in CORRECTED.items():
        change = CHANGES[str(number)]
        assert change.golds == (correction.flag,)
        assert change.near_misses == (correction.published,)


def test_no_flag_stands_in_a_request_or_in_a_services_command() -> None:
    for change in CHANGES.values():
        shown = change.query + (change.service.command if change.service else "")
        assert not re.search(r"picoCTF\{(?!character|number|text|TEXT)", shown), shown


def test_a_request_says_where_its_service_is() -> None:
    for change in CHANGES.values():
        if change.service:
            name, port = change.service.name, change.service.port
            assert f"{name} {port}" in change.query or f"http://{name}:{port}/" in change.query


def test_sixteen_tasks_are_left_out(folder: Path) -> None:
    dataset = CtfVerifiedDataset(folder=folder, incomplete=True)
    assert (len(dataset), len(dataset.left_out)) == (84, 16)
    assert all(task.gold and not task.excluded for task in dataset)


@pytest.mark.parametrize("number", sorted(SERVICES))
def test_a_service_made_anew_runs_the_published_program_and_gives_the_flag(toy: CtfEnv, number: int) -> None:
    service = CHANGES[str(number)].service
    assert service is not None
    begun(toy, number)
    says = REQUEST.format(method="HEAD") if number == 54 else ""
    said = seen(toy, CONNECTS.format(name=service.name, port=service.port, says=says))
    found = toy_flag(number) if number != 57 else " ".join(f"TOY{number}")
    assert found in said, said
    assert toy.take_action(Action("submit", toy_flag(number))).observation.text == RIGHT


def test_the_flag_of_a_service_is_nowhere_in_the_agents_sandbox(toy: CtfEnv) -> None:
    begun(toy, 42)
    assert seen(toy, "grep -rlsF TOY42 /ctf /etc /tmp /srv /root /var /run; ls /ctf/42") == "store.c\n"


def test_only_who_gets_ahead_gets_the_flag(toy: CtfEnv) -> None:
    begun(toy, 54)
    for method, page in (("GET", "You chose red."), ("POST", "You chose blue."), ("PUT", "200 OK")):
        said = seen(toy, CONNECTS.format(name="ahead", port=34561, says=REQUEST.format(method=method)))
        assert page in said
        assert "TOY54" not in said


def test_a_published_file_of_a_service_that_is_missing_is_named(toy: CtfEnv, folder: Path) -> None:
    source = folder / "task_assets" / "42" / "store.c"
    text = source.read_bytes()
    source.unlink()
    try:
        with pytest.raises(DownloadError, match=r"store\.c is missing: `intercode data get ctf`"):
            begun(toy, 42)
    finally:
        source.write_bytes(text)


@pytest.mark.parametrize("number", sorted(SOLUTIONS.keys() - BY_TOOLS - {90}))
def test_a_stored_program_solves_the_task_twice_and_nothing_else_is_paid(real: CtfEnv, number: int) -> None:
    flags = [solved(real, number), solved(real, number)]
    assert flags[0] == flags[1]
    assert real.take_action(Action("submit", flags[0])).reward == 1.0, flags[0]
    begun(real, number)
    seen(real, "true")
    scores = real.judge()
    assert scores is not None
    assert scores["exact"].value == 0.0
    assert real.take_action(Action("submit", real.task.query)).reward == 0.0


@pytest.mark.conformance
@pytest.mark.parametrize("number", sorted(BY_TOOLS))
def test_a_stored_program_solves_what_asks_for_the_image(
    number: int, published_data: Path, sandbox: EmbeddedSandbox
) -> None:
    image = images.find("ctf")
    keys = {layer.key for layer in sandbox.store.built()}
    if not all(layer.key in keys for layer in image.layers):
        pytest.skip("the image is not built, which takes minutes: `intercode images build ctf`")
    with CtfEnv("ctf-verified", sandbox=sandbox, image=image) as env:
        flag = solved(env, number)
        assert env.take_action(Action("submit", flag)).reward == 1.0, flag


WITH_NEAR_MISSES = {int(id) for id, change in CHANGES.items() if change.near_misses and not change.service}


@pytest.mark.parametrize("number", sorted(WITH_NEAR_MISSES))
def test_near_misses_are_not_paid_and_the_gold_is(number: int, published: Path, sandbox: Sandbox) -> None:
    dataset = CtfVerifiedDataset(incomplete=True)
    task = dataset.find(f"ctf-verified/{number}")
    with CtfEnv(dataset, sandbox=sandbox, image="host") as env:
        for text in task.extra["near_misses"]:
            env.start_episode(task)
            assert env.take_action(Action("submit", text)).reward == 0.0, text
        env.start_episode(task)
        assert env.take_action(Action("submit", task.gold or "")).reward == 1.0
