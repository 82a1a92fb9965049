"""What the embedded sandbox needs of this machine: what is there, what is missing, and what to do about it.

Every check looks at the thing itself (it makes a user namespace, mounts an overlay) rather than at version numbers; the
settings that usually stand in the way are named beside it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from intercode_sandbox.embedded import control_groups
from intercode_sandbox.embedded.scratch import upper
from intercode_sandbox.embedded.user_namespace import HELPER, SandboxUser, find_user, helper_fault, subordinate
from intercode_sandbox.errors import IntercodeError
from intercode_sandbox.network.variables import UPSTREAM, bundle_of_machine
from intercode_sandbox.runner import compiled
from intercode_sandbox.util import paths
from intercode_sandbox.util.machine_check import Check
from intercode_sandbox.util.system_packages import install_command

ROOM_WANTED = 2 << 30
APPARMOR_SWITCH = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
USERNS_SWITCH = Path("/proc/sys/kernel/unprivileged_userns_clone")
USERNS_LIMIT = Path("/proc/sys/user/max_user_namespaces")
APPARMOR_FIX = """sudo tee /etc/apparmor.d/bwrap >/dev/null <<'END' && sudo apparmor_parser -r /etc/apparmor.d/bwrap
abi <abi/4.0>,
include <tunables/global>
profile bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
  include if exists <local/bwrap>
}
END"""
CONTAINER_FIX = (
    "start the container with: --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined (Docker, Podman); in Kubernetes set procMount: Unmasked and seccompProfile: "
    "Unconfined"
)


def checks() -> list[Check]:
    """Return all findings, in the order in which one would mend them. Leaves nothing behind."""
    who = find_user()
    return [
        _bubblewrap(), _helper(), *_user_namespaces(), _user_ids(who), _container(), _session(), _upper_layer(),
        _memory(), _network(), _builder("mmdebstrap", "builds the `debian` and `ubuntu` images"), _room(),
    ]  # fmt: skip


def _output(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    return (done.stdout + done.stderr).strip()


def _bubblewrap() -> Check:
    program = shutil.which("bwrap")
    if program is None:
        return Check("bubblewrap", False, "not installed", install_command("bubblewrap"))
    version = _output([program, "--version"]).removeprefix("bubblewrap ")
    numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
    if numbers < (0, 5):
        return Check("bubblewrap", False, f"{version} at {program} lacks --userns", "install bubblewrap 0.5 or later")
    if os.stat(program).st_mode & 0o4000:
        return Check(
            "bubblewrap", False, f"{program} is setuid", f"sudo chmod u-s {program} (it takes no namespaces then)"
        )
    return Check("bubblewrap", True, f"{version} at {program}")


def _helper() -> Check:
    if fault := helper_fault():
        return Check("helper", False, fault, compiled.INSTALL)
    said = _output([str(HELPER)])
    works = "run by intercode" in said
    return Check(
        "helper", works, str(HELPER) if works else f"does not run here: {said}", "" if works else compiled.INSTALL
    )


def _user_namespaces() -> Iterator[Check]:
    if USERNS_LIMIT.exists() and USERNS_LIMIT.read_text().strip() == "0":
        yield Check("user namespaces", False, f"{USERNS_LIMIT} is 0", "sudo sysctl user.max_user_namespaces=28633")
        return
    if os.geteuid() and USERNS_SWITCH.exists() and USERNS_SWITCH.read_text().strip() == "0":
        fix = "sudo sysctl kernel.unprivileged_userns_clone=1"
        yield Check("user namespaces", False, f"{USERNS_SWITCH} is 0", fix)
        return
    if shutil.which("bwrap") is None:
        yield Check("user namespaces", None, "cannot be tried without bubblewrap")
        return
    refused = _try_user_namespace()
    restricted = APPARMOR_SWITCH.exists() and APPARMOR_SWITCH.read_text().strip() == "1"
    if restricted and refused:
        yield Check("AppArmor", False, f"{APPARMOR_SWITCH} keeps ordinary users from user namespaces", APPARMOR_FIX)
    elif restricted:
        yield Check("AppArmor", True, "restricts user namespaces, but not bubblewrap's")
    yield Check(
        "user namespaces", not refused, refused or "can be made", CONTAINER_FIX if refused and in_container() else ""
    )


def _try_user_namespace() -> str:
    """Return why bubblewrap cannot make one, or nothing."""
    world = ["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc"]
    done = subprocess.run(["bwrap", *world, "true"], capture_output=True, text=True, check=False, timeout=20)
    return done.stderr.strip() if done.returncode else ""


def _user_ids(who: SandboxUser) -> Check:
    if who.kind == "root":
        span = f"{who.base} to {who.base + who.size - 1}"
        if who.size > 1:
            return Check("user ids", True, f"sessions run as host users {span}, which nobody else is")
        return Check(
            "user ids", None, "this container has few ids: sessions get a single one", "map 300000 ids or more"
        )
    if who.kind == "range":
        return Check("user ids", True, f"root inside is you, {who.size - 1} more from /etc/subuid")
    lacking = "newuidmap is not installed" if not shutil.which("newuidmap") else "you have no range in /etc/subuid"
    detail = f"{lacking}: sessions have a single user, so chown and su fail in them, and no `debian` image can be built"
    fix = install_command("uidmap") if not shutil.which("newuidmap") else "sudo usermod --add-subuids 100000-165535"
    extra = "" if subordinate("uid") else f"; {fix} --add-subgids 100000-165535 {os.environ.get('USER', '$USER')}"
    return Check("user ids", None, detail, fix if not extra else extra.removeprefix("; "))


def in_container() -> str:
    """Return the kind of container that this process runs in, or nothing."""
    if Path("/.dockerenv").exists():
        return "Docker"
    if Path("/run/.containerenv").exists():
        return "Podman"
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        return "Kubernetes"
    return ""


def _container() -> Check:
    kind = in_container()
    if not kind:
        return Check("container", True, "not in one")
    masked = [path for path in ("/proc/kcore", "/proc/keys", "/proc/timer_list") if os.path.ismount(path)]
    if not masked:
        return Check("container", True, f"in {kind}, with an open /proc")
    detail = f"in {kind}, which covers parts of /proc ({', '.join(masked)}): no session can mount its own then"
    return Check("container", None, detail, CONTAINER_FIX)


def _session() -> Check:
    """Return the real thing: a session on the `host` image, with an overlay in its user namespace."""
    from intercode_sandbox.embedded.sandbox import EmbeddedSandbox
    from intercode_sandbox.images import find

    if helper_fault() or not shutil.which("bwrap"):
        return Check("a session", False, "cannot start: see what is missing above")
    try:
        with EmbeddedSandbox() as sandbox, sandbox.start(find("host")) as session:
            result = session.run(["/bin/sh", "-c", "rm -r /home && mkdir /home && echo works"])
    except IntercodeError as error:
        return Check("a session", False, str(error), CONTAINER_FIX if in_container() else "fix what is marked above")
    works = result.text == "works\n"
    return Check(
        "a session", works, "starts, runs, overlays its files" if works else f"overlay fails: {result.text.strip()}"
    )


def _upper_layer() -> Check:
    kind = upper()
    if kind != "disk":
        how = ", mounted by root" if kind == "trusted" else ""
        return Check("upper layer", True, f"tmpfs{how} (sessions are kept in memory, with limits on disk and inodes)")
    where = paths.cache() / "scratch"
    detail = (
        f"this kernel's tmpfs has no user attributes: sessions write to {where}, where their disk limit is only checked"
        " every 50 ms"
    )
    return Check("upper layer", None, detail, "use Linux 6.6 or later, or run as root")


def _memory() -> Check:
    """Return what the session above was held by; it is asked for when one starts, so there is nothing to try here."""
    state = control_groups.state()
    if state is None:
        return Check("memory limit", None, "cannot be told before a session starts: see above")
    if state.where:
        return Check("memory limit", True, f"control groups {state.where}")
    detail = (
        f"no control groups: {state.reason}. Instead memory is checked every 50 ms. Each process has limited address "
        "space (Node, Go, Java may need more). Shared memory without a file is refused."
    )
    return Check("memory limit", None, detail, state.way_out)


def _network() -> Check:
    """Return what sessions that ask for a network would have: it needs nothing of the machine, but what that needs."""
    bundle = bundle_of_machine()
    extra = f"; sessions trust {bundle}, as programs here are told to" if bundle else ""
    if upstream := next((name for name in UPSTREAM if os.environ.get(name)), ""):
        fault = f"{upstream} is set here, and sessions do not go through another proxy: they reach what needs none"
        return Check("network", None, fault)
    return Check("network", True, f"HTTP and HTTPS through a filtering proxy, for sessions that ask for it{extra}")


def _builder(program: str, purpose: str) -> Check:
    where = shutil.which(program)
    return Check(
        program,
        True if where else None,
        where or f"not installed; it {purpose}",
        "" if where else install_command(program),
    )


def _room() -> Check:
    folder = paths.cache()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    detail = f"{free / (1 << 30):.1f} GiB free for images in {paths.cache()}"
    return Check(
        "disk",
        True if free >= ROOM_WANTED else None,
        detail,
        "" if free >= ROOM_WANTED else "name another INTERCODE_CACHE",
    )
