"""The copy in which programs judge: the work is in it, and what steers programs is the image's again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from intercode.env.judging_copy import JudgingCopies, Places, Solution
from intercode.env.judging_copy.copies import JudgingCopy
from intercode.env.judging_copy.image_facts import ImageFacts
from intercode.env.judging_copy.path_rules import PathRules
from intercode.errors import SessionLostError
from intercode_sandbox import images
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.sandbox import Change, Entry, Limits, Sandbox, Session
from intercode_sandbox.scripted import ScriptedSandbox
from intercode_sandbox.testing.docker_engine import DockerEngine

FILE, FOLDER = Entry("file", 0o644, 0, 0, 1, 0, "1"), Entry("directory", 0o755, 0, 0, 0, 0)
ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/root", "PYTHONPATH": "/app/src:/srv/modules"}


class Facts(ImageFacts):
    """What is known of an image that nobody has to build."""

    homes = ("/root", "/home/user")
    programs = frozenset({"grep", "python3"})
    shared_objects = frozenset({"libz.so.1"})
    modules = frozenset({"json", "pytest", "queue"})

    def __init__(self, workdir: str = "/app") -> None:
        super().__init__(Image("scripted", (), ENV, workdir=workdir), lambda: ScriptedSandbox().start(Image("x", ())))

    def has_file(self, path: str) -> bool:
        return path in ("/app/venv/pyvenv.cfg", "/srv/conda/conda-meta/history", "/srv/bare.git/HEAD")

    def real_folder(self, path: str) -> str:
        return "/run" if path == "/var/run" else path


def new(*paths: str) -> list[Change]:
    return [Change(path, None, FILE) for path in paths]


NAMED = ("begins", "programs", "homes", "settings")


def undone(*changes: Change, **about: object) -> list[str]:
    workdir = str(about.pop("workdir", "/app"))
    about["places"] = Places(**{name: about.pop(name) for name in NAMED if name in about})  # type: ignore[arg-type]
    return [each.path for each in PathRules(Facts(workdir), **about).undone(changes)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "path",
    [
        "/etc/ld.so.preload", "/etc/ld.so.conf.d/a.conf", "/etc/python3.13/sitecustomize.py", "/etc/perl/strict.pm",
        "/etc/profile.d/a.sh", "/etc/zshenv", "/etc/alternatives/awk", "/etc/ssl/openssl.cnf", "/etc/hosts",
        "/etc/nsswitch.conf", "/etc/gitconfig", "/etc/pip.conf", "/etc/security/pam_env.conf", "/etc/locale.conf",
        "/root/.bashrc", "/root/.config/git/config", "/root/.local/lib/python3.11/site-packages/x.pth", "/root/bin/ls",
        "/home/user/.profile", "/usr/local/lib/python3.11/dist-packages/usercustomize.py", "/usr/local/include/stdio.h",
        "/usr/local/share/perl/5.36.0/strict.pm", "/usr/lib/x86_64-linux-gnu/perl5/strict.pm",
        "/app/pytest.ini", "/app/deep/down/conftest.py", "/pyproject.toml", "/app/node_modules/chai/index.js",
        "/app/.cargo/config.toml", "/app/evil.egg-info/entry_points.txt", "/app/.git/config",
        "/app/.git/hooks/pre-commit",
        "/app/json.py", "/pytest.py", "/app/queue.cpython-311-x86_64-linux-gnu.so", "/app/src/json.py",
        "/srv/modules/sitecustomize.py", "/app/org.py", "/app/venv/bin/python3", "/usr/bin/grep", "/usr/local/bin/grep",
        "/app/pluggy.py", "/usr/local/etc/gitconfig", "/usr/etc/npmrc", "/etc/xdg/pip/pip.conf",
        "/opt/conda/lib/python312.zip", "/srv/conda/bin/python3", "/usr/lib/gcc/x86_64-linux-gnu/12/specs",
        "/usr/include/x86_64-linux-gnu/stdio.h", "/app/.mvn/jvm.config", "/app/uv.toml",
    ],
)  # fmt: skip
def test_what_steers_programs_gives_way_whether_or_not_there_is_a_solution(path: str) -> None:
    change = Change(path, None, FILE)
    same_path = Solution.of([Change(path, None, replace(FILE, digest="2"))])
    for solution in (same_path, None):
        assert undone(change, begins=("/app",), solution=solution) == [path]


@pytest.mark.parametrize(
    "path",
    [
        "/etc/ld.so.preload", "/etc/ld.so.conf.d/a.conf", "/etc/profile.d/a.sh", "/etc/hosts",
        "/usr/local/etc/gitconfig", "/root/.bashrc", "/usr/lib/python3/dist-packages/usercustomize.py",
        "/usr/lib/gcc/x86_64-linux-gnu/12/specs", "/usr/local/lib/python3.11/site-packages/x.egg-link", "/app/json.py",
        "/usr/lib/R/etc/x", "/usr/lib/python3.11/__pycache__/os.cpython-311.pyc", "/usr/bin/grep",
    ],
)  # fmt: skip
def test_what_may_lead_to_work_gives_way_though_the_solution_leaves_the_same(path: str) -> None:
    change = Change(path, None, FILE)
    assert undone(change, begins=("/app",), solution=Solution.of([change])) == [path]


@pytest.mark.parametrize(
    "path",
    [
        "/app/main.py", "/app/json.txt", "/app/json/data.txt", "/srv/x.json", "/data/model.pth", "/root/notes",
        "/home/user/project/.gitignore", "/root/.git/HEAD", "/app/.git/objects/ab/cd", "/app/package.json",
        "/usr/src/app/x", "/app/lib/test_it.py", "/app/.env", "/app/setup.py", "/git/server/hooks/post-receive",
        "/app/new/lib/python3.11/site-packages/x.py", "/opt",
    ],
)  # fmt: skip
def test_work_stays(path: str) -> None:
    folders = [Change("/app/new/lib/python3.11/site-packages", None, FOLDER)]
    assert undone(*folders, Change(path, None, FILE), begins=("/app",), solution=Solution.of([])) == (
        [path] if path == "/opt" else []
    )


PACKAGES = (
    "/usr/local/lib/python3.11/site-packages/grpc/__init__.py", "/usr/local/lib/python3.11/site-packages/pytest.py",
    "/usr/include/x86_64-linux-gnu/stdio.h", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1", "/usr/share/tcltk/tcl8.6/init.tcl",
    "/usr/local/lib/python3.11/site-packages/grpc-1.dist-info/entry_points.txt",
)  # fmt: skip


@pytest.mark.parametrize("path", PACKAGES)
def test_what_the_solution_installs_stays_byte_by_byte(path: str) -> None:
    installed = Change(path, None, FILE)
    solution = Solution.of([installed])
    later = replace(installed, after=replace(FILE, mtime_ns=5))
    assert undone(later, solution=solution) == []
    for other in (replace(FILE, digest="2"), replace(FILE, mode=0o4755), replace(FILE, uid=1)):
        assert undone(replace(installed, after=other), solution=solution) == [path]
    assert undone(installed, solution=Solution.of([])) == [path]


@pytest.mark.parametrize(
    ("target", "stays"),
    [("/usr/bin/gawk", True), ("../../usr/bin/gawk", True), ("/app/awk", False), ("x/../../../app/awk", False)],
)  # fmt: skip
def test_a_link_that_the_solution_makes_stays_if_it_leads_to_the_system(target: str, stays: bool) -> None:
    link = Change("/etc/alternatives/gawk", None, replace(FILE, type="symlink", digest=target))
    assert undone(link, solution=Solution.of([link])) == ([] if stays else [link.path])
    other = replace(link, after=replace(FILE, type="symlink", digest="/usr/bin/other"))
    assert undone(other, solution=Solution.of([link])) == [link.path]


@pytest.mark.parametrize(("line", "stays"), [(b"import cmeel_pth\n", True), (b"/app/src\n", False), (b"../app", False)])
def test_a_list_of_folders_that_the_solution_makes_stays_if_it_names_none(line: bytes, stays: bool) -> None:
    path = "/usr/local/lib/python3.11/site-packages/own.pth"
    change = Change(path, None, FILE)
    assert undone(change, solution=Solution.of([change], lambda path: line)) == ([] if stays else [path])
    assert undone(change, solution=Solution.of([change])) == [path]


def test_a_program_of_the_image_that_was_changed_gives_way_whatever_the_solution_does() -> None:
    change = Change("/usr/bin/python3", FILE, replace(FILE, digest="2"))
    assert undone(change, solution=Solution.of([change])) == ["/usr/bin/python3"]
    assert undone(change, keep=("/usr/bin/python3",)) == []


def test_what_is_new_in_the_system_stays_where_the_solution_makes_the_same() -> None:
    tool, other = new("/usr/local/bin/tool", "/usr/local/bin/other")
    assert undone(tool, other, solution=Solution.of([tool])) == ["/usr/local/bin/other"]
    folder = Change("/usr/local/share/tool", None, FOLDER)
    data = new("/usr/local/share/tool/a/b")
    assert undone(folder, *data, solution=Solution.of([folder])) == []
    assert undone(tool, other) == []


def test_settings_of_services_stay_where_the_solution_changes_the_same() -> None:
    users = Change("/etc/passwd", FILE, replace(FILE, digest="2"))
    assert undone(users, solution=Solution.of([users])) == []
    assert undone(users, solution=Solution.of(new("/app/x"))) == ["/etc/passwd"]


def test_what_the_task_keeps_stays_with_all_below_and_the_folders_above() -> None:
    folder = Change("/etc/ssl/own", None, FOLDER)
    kept, other = new("/etc/ssl/own/kept/a", "/etc/ssl/own/b")
    assert undone(folder, kept, other, keep=("/etc/ssl/own/kept",)) == ["/etc/ssl/own/b"]


def test_folders_of_work_inside_the_system_are_work() -> None:
    assert undone(*new("/usr/src/app/a", "/opt/app/b"), workdir="/usr/src/app", begins=("/opt/app",)) == []


def test_a_link_in_place_of_a_folder_that_programs_look_into_gives_way() -> None:
    link = Entry("symlink", 0o777, 0, 0, 0, 0, "/evil")
    changes = [Change(path, FOLDER, link) for path in ("/app", "/root", "/etc", "/usr/local/bin", "/data")]
    assert undone(*changes, begins=("/app",)) == ["/app", "/root", "/etc", "/usr/local/bin"]


@pytest.mark.parametrize(
    ("links", "is_bad"),
    [
        ({"/app/a": "/tests/want"}, True), ({"/app/a": "../tests/want"}, True), ({"/app/a": "/proc/self/fd/3"}, True),
        ({"/app/a": "/dev/stdin"}, True), ({"/app/a": "b/want", "/app/b": "/tests"}, True), ({"/app/a": "a"}, True),
        ({"/app/a": "up/tests/want", "/app/up": ".."}, True), ({"/app/a": "/var/run/../tests/want"}, True),
        ({"/app/a": "../var/lib/../tests/want"}, False), ({"/app/a": "b/../tests/x", "/app/b": "/var/run"}, True),
        ({"/app/a": "/app/b"}, False), ({"/app/a": "/"}, False),
    ],
)  # fmt: skip
def test_no_link_leads_to_the_tests_or_to_what_a_program_has_open(links: dict[str, str], is_bad: bool) -> None:
    changes = [Change(path, None, Entry("symlink", 0o777, 0, 0, 0, 0, target)) for path, target in links.items()]
    assert ("/app/a" in undone(*changes, reserved=("/tests",))) is is_bad


@pytest.mark.parametrize("place", ["/usr/bin/python3", "/usr", "/opt", "/opt/tool/bin/pytest", "/usr/local/bin"])
def test_programs_that_tests_name_are_no_work(place: str) -> None:
    changed = Change(place if "python" in place else f"{place}/x", FILE, replace(FILE, digest="2"))
    for solution in (Solution.of([changed]), None):
        assert undone(changed, begins=(place,), solution=solution) == [changed.path]


def test_a_file_that_tests_name_is_work() -> None:
    answer = Change("/app/out.txt", FILE, replace(FILE, digest="2"))
    assert undone(answer, *new("/app/new.txt"), begins=("/app/out.txt", "/app/new.txt")) == []


def test_an_image_is_not_asked_of_as_many_folders_as_an_agent_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def ask(self: Facts, path: str) -> str:
        asked.append(path)
        return path

    monkeypatch.setattr(Facts, "real_folder", ask)
    links = (Entry("symlink", 0o777, 0, 0, 0, 0, f"/none/{number}/../x") for number in range(1000))
    undone(*(Change(f"/app/{number}", None, link) for number, link in enumerate(links)))
    assert len(asked) < 100


def test_settings_of_a_repository_give_way_where_a_file_or_a_link_says_where_it_lies() -> None:
    repository = new("/app/g/HEAD", "/app/g/config", "/app/g/hooks/post-index-change", "/app/g/info/attributes")
    bare, other = new("/srv/bare.git/config", "/app/config")
    assert undone(*repository, bare, other) == []
    link = Change("/app/.git", None, Entry("symlink", 0o777, 0, 0, 0, 0, "g"))
    for leads in (link, *new("/app/.git")):
        paths = [each.path for each in (*repository[1:], bare)]
        assert undone(leads, *repository, bare, other) == paths
        assert undone(leads, *repository, bare, other, keep=("/app/g", "/srv")) == []


def test_modules_are_found_where_tests_say_that_more_are() -> None:
    text = "export PYTHONPATH=/app/src:/srv/more\nsys.path.insert(0, '/data/modules')\n"
    assert set(Places.of([text], "/app").begins) >= {"/app/src", "/srv/more", "/data/modules"}


def test_programs_in_folders_that_tests_search_first_give_way_where_the_image_has_such() -> None:
    text = "export PATH=/app/tools:$PATH\nenv['PATH'] = '/srv/bin:/usr/bin'\nNOPATH=/app/other\n"
    places = Places.of([text], "/app")
    assert places.programs == ("/app/tools", "/srv/bin", "/usr/bin")
    tools = new("/app/tools/grep", "/app/tools/own", "/srv/bin/python3", "/app/other/grep")
    assert undone(*tools, programs=places.programs) == ["/app/tools/grep", "/srv/bin/python3"]


@pytest.mark.parametrize(
    ("text", "homes"),
    [
        ("export HOME=/app/me", ["/app/me"]),
        ("env={'HOME': '/srv/you', 'PATH': PATH}", ["/srv/you"]),
        ('env = {"HOME":  r"/srv/you"}', ["/srv/you"]),
        ("ENV HOME /app/me", ["/app/me"]),
        ("export HOME=$PWD/me", ["me"]),
        ('HOME="${APP:-/app}/me" bash -l', ["me"]),
        ("HOME=$(pwd)/deep/me", ["deep/me"]),
        ("HOME=./me/", ["me"]),
        ('HOME="/app"/me', ["/app/me"]),
        ('os.environ["HOME"] = f"{APP}/me"', ["me"]),
        ("HOME=me", [""]),
        ("HOME=~svc", [""]),
        ('env["HOME"] = str(Path("/x") / "me")', [""]),
        ('env["HOME"] = "/app" + name', [""]),
        ("HOME=$X", [""]),
        ("export HOME=$(mktemp -d)", []),
        ("env['HOME'] = str(tmp_path)", []),
        ("export HOME=${HOME:-/root}; echo $HOME /app; JAVA_HOME=/usr/lib/jvm", ["/root"]),
    ],
)
def test_homes_that_tests_name_are_known_by_what_their_text_says(text: str, homes: list[str]) -> None:
    assert list(Places.of([text], "/app").homes) == homes


def test_settings_in_a_home_that_tests_name_give_way() -> None:
    left = new("/app/me/.bashrc", "/app/me/work.txt", "/srv/me/.config/pip/pip.conf", "/srv/other/.bashrc")
    assert undone(*left, homes=("/app/me",)) == ["/app/me/.bashrc"]
    assert undone(*left, homes=("me",)) == ["/app/me/.bashrc", "/srv/me/.config/pip/pip.conf"]
    assert undone(*left, homes=("",)) == ["/app/me/.bashrc", "/srv/me/.config/pip/pip.conf", "/srv/other/.bashrc"]


def test_where_a_home_is_computed_what_the_solution_makes_is_work() -> None:
    left = new("/app/me/.bashrc", "/app/me/.profile")
    solution = Solution.of(left[:1])
    assert undone(*left, homes=("me",), solution=solution) == ["/app/me/.profile"]
    assert undone(*left, homes=("",), solution=solution) == ["/app/me/.profile"]
    assert undone(*left, homes=("/app/me",), solution=solution) == ["/app/me/.bashrc", "/app/me/.profile"]


def test_settings_that_tests_name_by_a_variable_give_way() -> None:
    text = "GIT_CONFIG_GLOBAL=/app/cfg git log\nexport XDG_CONFIG_HOME=$PWD/conf PYTHONUSERBASE=/srv/base\nENV=prod\n"
    settings = Places.of([text], "/app").settings
    assert settings == ("/app/cfg", "conf", "/srv/base")
    left = new("/app/cfg", "/app/conf/git/config", "/srv/base/lib/x.py", "/app/prod")
    assert undone(*left, settings=settings) == ["/app/cfg", "/app/conf/git/config", "/srv/base/lib/x.py"]


def test_a_program_that_waits_in_the_place_of_a_script_gives_way() -> None:
    waiting = new("/tmp/check.py/__main__.py", "/tmp/check/__main__.py", "/app/check.py/__main__.py")
    assert undone(*waiting, *new("/app/tool/__main__.py")) == [each.path for each in waiting]


def test_the_homes_of_services_with_a_shell_are_homes(sandbox: Sandbox) -> None:
    accounts = (
        b"root:x:0:0::/root:/bin/sh\nsvc:x:990:990::/var/lib/svc:/bin/bash\nweb:x:33:33::/var/www:/usr/sbin/nologin\n"
    )
    image = images.find("host").with_layers(FilesLayer({"etc/passwd": accounts}), env={"HOME": "/"})
    assert set(ImageFacts(image, lambda: sandbox.start(image)).homes) == {"/root", "/", "/var/lib/svc"}


def test_an_image_s_links_are_followed(sandbox: Sandbox) -> None:
    image = images.find("host").with_layers(FilesLayer({}, links={"srv/way": "/run/deep"}))
    facts = ImageFacts(image, lambda: sandbox.start(image))
    assert [facts.real_folder(path) for path in ("/srv/way", "/srv", "/none/there")] == [
        "/run/deep",
        "/srv",
        "/none/there",
    ]


def test_folders_are_found_where_tests_say_that_they_go_on() -> None:
    text = "cd /srv/project && make\ncd sub\nsubprocess.run(x, cwd='/data')\ngit -C /repo log\npytest -q /code/tests\n"
    assert set(Places.of([text], "/app").begins) >= {"/srv/project", "/app/sub", "/data", "/repo", "/code/tests"}


# In a real sandbox

OWNED = FilesLayer(
    {"etc/tool/a": b"one", "etc/tool/b": b"two", "etc/tool/deep/c": b"three"},
    links={"etc/tool/l": "a"},
    modes={"etc/tool/b": 0o640},
)


@contextmanager
def copied(sandbox: Sandbox, command: str, **about: object) -> Iterator[tuple[JudgingCopy, Session]]:
    image = images.find("host").with_layers(OWNED)
    with sandbox.start(image) as session:
        done = session.run(["/bin/bash", "-c", command])
        assert done.exit_code == 0, done.text
        copies = JudgingCopies(sandbox, 0.0, solution=Solution.of([]), **about)  # type: ignore[arg-type]
        with copies.copy(session, Limits(), Places(("/",))) as copy:
            yield copy, session


CHANGES = {
    "changed": "echo 2 > /etc/tool/a; touch -d 2001-01-01 /etc/tool/a",
    "removed": "rm -r /etc/tool",
    "a file for a folder": "rm -r /etc/tool; echo x > /etc/tool",
    "a link for a folder": "mv /etc/tool /srv/tool; ln -s /srv/tool /etc/tool",
    "a folder for a file": "rm /etc/tool/a; mkdir -p /etc/tool/a/b/c",
    "a link for a file": "ln -sf /etc/passwd /etc/tool/a",
    "another link": "ln -sf b /etc/tool/l",
    "a fifo": "rm /etc/tool/a; mkfifo /etc/tool/a",
    "modes": "chmod 7777 /etc/tool /etc/tool/*; chmod 0 /etc/tool/deep",
    "new": "mkdir -p /etc/tool/new/deep; echo x > /etc/tool/new/deep/x; ln -s x /etc/tool/new/l",
    "names": "touch $'/etc/tool/\\n' $'/etc/tool/\\xff' '/etc/tool/-rf' '/etc/tool/ '; echo > '/etc/tool/*'",
    "renamed": "mv /etc/tool /etc/tool2; mkdir /etc/tool",
    "all of /etc": "cp -a /etc /etc2; rm -rf /etc; mv /etc2 /etc; echo x > /etc/tool/a",
}


@pytest.mark.parametrize("how", CHANGES)
def test_the_image_s_own_is_as_it_was_and_the_session_as_the_agent_left_it(sandbox: Sandbox, how: str) -> None:
    with copied(sandbox, CHANGES[how]) as (copy, session):
        left = [each for each in copy.session.changes() if each.path.startswith("/etc")]
        assert left == []
        assert copy.left_out
        assert copy.notes[0].startswith("judged without what was left at /etc")
        assert copy.session.read("/etc/tool/deep/c") == b"three"
        assert any(each.path.startswith("/etc") for each in session.changes())


@pytest.mark.timeout(900)
def test_a_container_is_given_its_own_back_too(docker_engine: DockerEngine) -> None:
    wrong = dict[str, object]()
    with DockerSandbox(engine=docker_engine.url) as sandbox:
        for how in CHANGES.keys() - {"all of /etc"}:  # the engine mounts some of its files
            with copied(sandbox, f"{CHANGES[how]}; echo work > /srv/x; echo 1.2.3.4 x >> /etc/hosts") as (copy, _):
                left = [each for each in copy.session.changes() if each.path.startswith("/etc")]
                if left or copy.session.read("/srv/x") + copy.session.read("/etc/tool/deep/c") != b"work\nthree":
                    wrong[how] = left
    assert not wrong


def test_work_is_in_the_copy(sandbox: Sandbox) -> None:
    with copied(sandbox, "echo work > /srv/x; echo y > /etc/tool/y", keep=("/etc/tool/y",)) as (copy, _):
        assert copy.session.read("/srv/x") == b"work\n"
        assert copy.session.read("/etc/tool/y") == b"y\n"
        assert copy.left_out == copy.notes == ()


PLANTS = """
mkdir /evil
for program in /usr/bin/*; do ln -s $program /evil/; done
rm /evil/sh
printf '#!/usr/bin/bash\\n/usr/bin/bash "$@"\\n/usr/bin/touch /etc/ld.so.preload\\n' > /evil/sh
chmod 755 /evil/sh
rm /bin
mv /evil /bin
"""


def test_a_shell_of_the_agent_s_leaves_nothing_while_the_system_is_given_back(sandbox: Sandbox) -> None:
    with pytest.raises(SessionLostError, match=r"/etc/ld\.so\.preload cannot be given back"), copied(sandbox, PLANTS):
        pass


def test_where_the_system_cannot_be_given_back_the_agent_has_broken_it(sandbox: Sandbox) -> None:
    with (
        pytest.raises(SessionLostError, match="cannot be given back"),
        copied(sandbox, "echo x > /etc/tool/a; mv /bin /b; mv /lib64 /l 2> /dev/null; mv /lib /l2 || true"),
    ):
        pass
