"""The files for other people's clusters, which nobody has tried here, are at least well formed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml  # type: ignore[import-untyped]

PAGE = (Path(__file__).parents[2] / "docs/how-to/ray.md").read_text()


def block(language: str) -> str:
    """The page's only block in that language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def options(command: str) -> set[str]:
    return set(re.findall(r"(?<=\s)--[a-z-]+", command))


def test_the_script_for_slurm_is_a_script() -> None:
    checked = subprocess.run(["bash", "-n"], input=block("bash"), text=True, capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert block("bash").startswith("#!/bin/bash\n#SBATCH ")


def test_the_manifest_for_kubernetes_has_a_head_and_workers_alike() -> None:
    job = yaml.safe_load(block("yaml"))
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    spec = job["spec"]["rayClusterSpec"]
    head = spec["headGroupSpec"]["template"]["spec"]
    (group,) = spec["workerGroupSpecs"]
    worker = group["template"]["spec"]
    for name in ("image", "resources", "env", "volumeMounts"):
        assert head["containers"][0][name] == worker["containers"][0][name], name
    mounted = {mount["name"] for mount in worker["containers"][0]["volumeMounts"]}
    assert mounted == {volume["name"] for volume in worker["volumes"]}


def test_their_commands_have_options_that_there_are() -> None:
    entrypoint = str(yaml.safe_load(block("yaml"))["spec"]["entrypoint"])
    last = block("bash").strip().splitlines()[-1]
    program = [sys.executable, "-m", "intercode", "run", "--help"]
    known = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    for command in (entrypoint, last):
        assert command.startswith("intercode run --ray ")
        missing = {option for option in options(command) if option not in known}
        assert not missing
