"""What data sets in SWE-bench's format say of a task besides the published fields, under several names.

SWE-bench 5 has `image`, `eval_script` and `log_parser`; SWE-bench Pro `dockerhub_tag` and `before_repo_set_cmd`, with
the lists of tests in small letters; SWE-rebench `docker_image` and `install_config`, SWE-Gym `image_name`.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

PRO_IMAGES = "jefzda/sweap-images"
"""Where the images of SWE-bench Pro are, by their `dockerhub_tag`."""

UNUSED = {
    "before_repo_set_cmd": "the base commit and the hidden tests are put in place without it",
    "selected_test_files_to_run": "the files of the tests are run",
}
"""Columns that ask for nothing that is not done anyhow."""

_CONDA = re.compile(r"^\s*(?:source \S*?/bin/activate|conda activate) +([\w.-]+)\s*$", re.MULTILINE)
_MARKED = re.compile(r">>>>> Start Test Output.*?\n(.*?)^[^\n]*>>>>> End Test Output", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(
    r"^[^#:\n]*?(?:\bpytest\b|\bpy\.test\b|\bunittest\b|\bruntests\.py\b|\bbin/test\b).*$", re.MULTILINE
)
_WITH_VALUE = frozenset(
    {
        *("-W", "-p", "-o", "-c", "-k", "-m", "-n", "--tb", "--ignore", "--rootdir", "--override-ini"),
        *("--settings", "--parallel", "--verbosity"),
    }
)
"""Options of pytest, and of Django's program, after which their value stands."""

_NOT_OURS = re.compile(r"-r\w+$|-[vqsx]+$|--color(=.*)?$|--no-header$|--tb(=.*)?$|--verbose$")
"""Options of pytest that say how its output looks, which nobody reads here, or that end it early."""


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """What a record says. `table` is as in a file of environments; `image` names an image of containers, or is "".

    `refusal` says why its tests cannot be run here, "" if they can; `unused` are columns that change nothing, each with
    the reason.
    """

    table: Mapping[str, Any]
    image: str
    refusal: str
    unused: Mapping[str, str]


def read_columns(columns: Mapping[str, Any]) -> RecordColumns:
    """Return what *columns* say; what cannot be understood is in `unused`."""
    config = _object(columns.get("install_config"))
    script, parser = (str(columns.get(name) or config.get(name) or "") for name in ("eval_script", "log_parser"))
    command = _test_command(script) or _first(config.get("test_cmd"))
    unused = dict(_unused(columns, config, command))
    return RecordColumns(_table(command, parser, config), _image(columns), _refusal(columns, command, parser), unused)


def conda_path(script: str) -> str:
    """Return where the programs of the environment are that *script* activates; "" if it activates none."""
    found = _CONDA.findall(script)
    return f"/opt/miniconda3/envs/{found[-1]}/bin" if found else ""


def tests_named(columns: Mapping[str, Any], name: str) -> Any:
    """Return the column *name*, FAIL_TO_PASS or PASS_TO_PASS, however it is written; None if there is none."""
    return columns.get(name, columns.get(name.lower()))


def _table(command: str, parser: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the suite that *command* runs, as far as they are ours to follow."""
    env = _object(config.get("env_vars"))
    table: dict[str, Any] = {"env": {str(name): str(value) for name, value in env.items()}} if env else {}
    words = _words(command)
    if _is_unittest(command, parser):
        program = next((word for word in words if word.endswith(".py")), "")
        script = {"script": program.removeprefix("./"), "arguments": _options(words, program)} if program else {}
        return table | {"runner": "unittest"} | script
    return table | ({"runner": "pytest", "arguments": _options(words, "pytest")} if command or parser else {})


def _is_unittest(command: str, parser: str) -> bool:
    if command:
        return "unittest" in command or "runtests.py" in command
    return "django" in parser or "unittest" in parser


def _options(words: list[str], program: str) -> list[str]:
    """Return the options after *program*, without names of tests."""
    names = {program.rpartition("/")[2], "py.test"}
    at = next((place for place, word in enumerate(words) if word.rpartition("/")[2] in names), len(words))
    found: list[str] = []
    rest = iter(words[at + 1 :])
    for word in rest:
        if not word.startswith("-"):
            continue
        option = [word, *([next(rest, "")] if word in _WITH_VALUE else [])]
        found += [] if _NOT_OURS.match(word) else option
    return found


def _refusal(columns: Mapping[str, Any], command: str, parser: str) -> str:
    """Return why the tests cannot be run: only pytest and unittest are."""
    language = str(columns.get("repo_language") or columns.get("language") or "python").lower()
    if language not in ("python", "py"):
        field = "repo_language" if columns.get("repo_language") else "language"
        return f"field {field!r} is {language!r}, and only tests of Python can be run"
    if "bin/test" in command:
        return f"its tests are run by {command.split()[0]!r}, and only pytest and unittest can be run"
    known = ("pytest", "django", "unittest")
    is_python = not parser or any(name in parser.lower() for name in known) or bool(command)
    return "" if is_python else f"field 'log_parser' is {parser!r}, and only pytest and unittest can be run"


def _unused(columns: Mapping[str, Any], config: Mapping[str, Any], command: str) -> Iterator[tuple[str, str]]:
    for name, why in UNUSED.items():
        if columns.get(name):
            yield name, why
    if columns.get("eval_script") and not command:
        yield "eval_script", "it has no line that runs pytest or unittest"
    for name in ("install", "pre_install", "pip_packages", "packages", "python", "reqs_path", "env_yml_path"):
        if config.get(name):
            yield (
                f"install_config.{name}",
                "nothing is fetched while a task is built: its image has it, or `setup` does",
            )


def _image(columns: Mapping[str, Any]) -> str:
    name = next((str(columns[each]) for each in ("image", "docker_image", "image_name") if columns.get(each)), "")
    tag = columns.get("dockerhub_tag")
    return name or (f"{PRO_IMAGES}:{tag}" if tag else "")


def _test_command(script: str) -> str:
    """Return the line of *script* that runs the tests; "" if there is none."""
    marked = _MARKED.search(script)
    found = _COMMAND.findall(marked[1] if marked else script)
    return found[-1].strip() if found else ""


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _object(value: Any) -> Mapping[str, Any]:
    """Return *value* as an object, also where it is written as JSON; empty if it is none."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}


def _first(value: Any) -> str:
    found = value[0] if isinstance(value, list) and value else value
    return found if isinstance(found, str) else ""
