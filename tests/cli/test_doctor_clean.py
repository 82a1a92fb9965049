"""`intercode doctor` and the containers of an engine: what dead programs left is removed, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from terminal import intercode

from intercode_sandbox.docker.engine import Engine, connect
from intercode_sandbox.engine.cleanup import owned
from intercode_sandbox.engine.owner import this_process
from intercode_sandbox.images.engine_store import LABEL

EMPTY_TAR = bytes(10240)


@pytest.fixture
def engine(docker_url: str) -> Iterator[Engine]:
    engine = connect(docker_url)
    yield engine
    engine.close()


def dead() -> str:
    """A process that was at another time."""
    return this_process().rpartition(":")[0] + ":1"


def removed(engine: Engine) -> set[str]:
    """What the doctor removes at the engine; control groups may be those of other tests' programs."""
    said = intercode("doctor", "--clean", "--json", DOCKER_HOST=engine.url).stdout
    return {each["id"] for each in json.loads(said)["removed"] if each["kind"] != "control group"}


def test_what_dead_programs_left_is_removed_and_what_lives_stays(engine: Engine) -> None:
    base = engine.load("intercode-tests/empty:1", [EMPTY_TAR], {"purpose": "tests"})
    made = {
        owner: engine.create(f"intercode-tests-{number}", {"Image": base, "Cmd": ["/none"], "Labels": {LABEL: owner}})
        for number, owner in enumerate((dead(), this_process()))
    }
    snapshot = engine.commit(made[dead()], labels={LABEL: dead()})
    try:
        notes = json.loads(intercode("doctor", "--json", DOCKER_HOST=engine.url).stdout)
        (note,) = [check for check in notes if check["name"] == "leftovers"]
        assert note["fix"] == "intercode doctor --clean"
        assert removed(engine) == {made[dead()], snapshot}
        left = {each.id for each in owned(engine)}
        assert made[this_process()] in left
        assert made[dead()] not in left
        assert not engine.has_image(snapshot)
        assert removed(engine) == set()
    finally:
        engine.remove(made[this_process()])
        engine.remove_image(base)


def test_the_doctor_tells_of_the_engine(engine: Engine) -> None:
    checks = {
        check["name"]: check for check in json.loads(intercode("doctor", "--json", DOCKER_HOST=engine.url).stdout)
    }
    assert checks["docker"]["ok"] is not False
    assert "overlay" in checks["docker"]["detail"] or checks["docker"]["fix"]


def test_without_an_engine_there_is_a_note_and_no_failure() -> None:
    done = intercode("doctor", "--json", DOCKER_HOST="unix:///nowhere/socket")
    (check,) = [check for check in json.loads(done.stdout) if check["name"] == "docker"]
    assert check["ok"] is None
    assert check["detail"].startswith("only for --sandbox docker, images of containers: ")
    assert not [each for each in json.loads(done.stdout) if each["name"] == "image builder"]
    assert intercode("doctor", "--clean", DOCKER_HOST="unix:///nowhere/socket").returncode == 1
