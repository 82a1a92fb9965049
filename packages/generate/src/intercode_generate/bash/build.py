"""Draws a file system: a root with folders of several kinds, odd names, links, modes, owners and times."""

from __future__ import annotations

from collections.abc import Sequence

from intercode.worlds.bash.starter.archives import gzip, tar
from intercode_generate.bash import contents
from intercode_generate.bash.names import COMPONENTS, FOLDERS, PEOPLE, PLACES, STEMS, THINGS, USERS
from intercode_generate.bash.world import BashWorld, CsvTable, File, Kind, parents
from intercode_generate.draw import Draw
from intercode_generate.splits import Split, words_of

START = 1672531200
"""2023-01-01 00:00 UTC: no file is older."""

SPAN = 700 * contents.DAY

MODES = (0o644, 0o644, 0o644, 0o600, 0o640, 0o664, 0o755, 0o666)

ROLES: dict[str, tuple[str, ...]] = {
    "logs": ("logs", "log", "logfiles", "journals", "protocols"),
    "tables": ("data", "tables", "records", "sheets", "figures"),
    "conf": ("config", "conf", "settings", "setup", "options"),
    "mail": ("mail", "inbox", "letters", "messages", "post"),
    "docs": ("docs", "documents", "papers", "texts", "writings"),
    "scripts": ("scripts", "tools", "bin-sh", "programs", "jobs"),
    "archives": ("archives", "packed", "bundles", "parcels", "boxes"),
    "lists": ("lists", "rolls", "indexes", "tallies", "names"),
    "junk": ("tmp", "scratch", "cache", "leftovers", "temp"),
    "pointers": ("where", "places", "targets", "pointers", "signs"),
}
"""The folders of every root, with what they are called."""


class WorldBuilder:
    """Collects files while a world is drawn."""

    def __init__(self, draw: Draw, split: Split) -> None:
        self.draw = draw
        self.stems = draw.shuffled(words_of(STEMS, split))
        self.folders = draw.shuffled(words_of(FOLDERS, split))
        self.people = draw.shuffled(words_of(PEOPLE, split))[:6]
        self.root = f"{draw.pick(('/srv', '/data', '/work', ''))}/{draw.pick(words_of(PLACES, split))}"
        self.roles = {role: f"{self.root}/{draw.pick(words_of(names, split))}" for role, names in ROLES.items()}
        self.files: dict[str, File] = {}
        self.links: dict[str, str] = {}
        self.tables: list[CsvTable] = []
        self.empty: list[str] = []
        self.pointers: dict[str, str] = {}
        self._times: set[int] = set()

    def add(self, path: str, data: str | bytes, kind: Kind, mode: int = 0, owner: int | None = None) -> None:
        """A file there, with a time that no other has; nothing where the path is taken."""
        if path in self.files:
            return
        while (mtime := START + self.draw.integer(0, SPAN)) in self._times:
            pass
        self._times.add(mtime)
        raw = data.encode() if isinstance(data, str) else data
        user = self.draw.pick(USERS) if owner is None else owner
        self.files[path] = File(path, raw, kind, mtime, mode or self.draw.pick(MODES), user)

    def stem(self) -> str:
        """Return a stem for a file, often with a number."""
        stem = self.draw.pick(self.stems)
        return f"{stem}-{self.draw.integer(1, 40)}" if self.draw.chance(0.7) else stem

    def subfolders(self, folder: str, count: int) -> Sequence[str]:
        """Return the *folder* itself, and folders below it, one of them deeper."""
        names = self.draw.sample(self.folders, count)
        deep = f"{folder}/{names[0]}/{names[-1]}" if count > 1 else f"{folder}/{names[0]}"
        return (folder, *(f"{folder}/{name}" for name in names), deep)


def build(draw: Draw, split: Split) -> BashWorld:
    """Return a file system of about a hundred files."""
    it = WorldBuilder(draw, split)
    for fill in (_documents, _logs, _tables, _settings, _mail, _scripts, _lists, _junk, _archives, _odd_names):
        fill(it)
    _links(it)
    _pointers(it)
    used = {part for path in it.files for part in path.split("/")}
    free = [word for word in (*it.folders, *it.stems) if word not in used]
    return BashWorld(
        root=it.root,
        files={path: it.files[path] for path in sorted(it.files)},
        links=it.links,
        tables=tuple(it.tables),
        empty_folders=tuple(it.empty),
        words=free,
        people=it.people,
        pointers=it.pointers,
    )


def _documents(it: WorldBuilder) -> None:
    folders = it.subfolders(it.roles["docs"], 3)
    for _ in range(22):
        suffix = it.draw.pick(("txt", "txt", "md", "bak"))
        it.add(f"{it.draw.pick(folders)}/{it.stem()}.{suffix}", contents.prose(it.draw), "text")


def _logs(it: WorldBuilder) -> None:
    folder = it.roles["logs"]
    for component in it.draw.sample(COMPONENTS, 4):
        start = START + it.draw.integer(0, 600) * contents.DAY
        it.add(f"{folder}/{component}.log", contents.log(it.draw, start, it.draw.integer(18, 40)), "log", 0o644)
        if it.draw.chance(0.5):
            old = contents.log(it.draw, start - 3 * contents.DAY, it.draw.integer(12, 24))
            it.add(f"{folder}/{component}.log.1", old, "log", 0o644)
            older = contents.log(it.draw, start - 6 * contents.DAY, it.draw.integer(10, 16))
            it.add(f"{folder}/{component}.log.2.gz", gzip(older.encode()), "archive", 0o644)
    start = START + it.draw.integer(0, 600) * contents.DAY
    for _ in range(2):
        web = contents.access_log(it.draw, start, it.draw.integer(20, 40))
        it.add(f"{folder}/web/access-{contents.stamp(start, '%Y-%m-%d')}.log", web, "access", 0o644)
        start += contents.DAY


def _tables(it: WorldBuilder) -> None:
    for kind, columns in contents.TABLES.items():
        for _ in range(2 if kind == "orders" else 1):
            start = START + it.draw.integer(0, 600) * contents.DAY
            rows = contents.rows(it.draw, kind, start, it.draw.integer(14, 30))
            path = f"{it.roles['tables']}/{kind}-{it.draw.pick(it.folders)}.csv"
            if path in it.files:
                continue
            text = "".join(",".join(row) + "\n" for row in (columns, *rows))
            it.add(path, text, "csv", 0o644)
            it.tables.append(CsvTable(path, columns, tuple(rows)))


def _settings(it: WorldBuilder) -> None:
    folder = it.roles["conf"]
    for component in it.draw.sample(COMPONENTS, 4):
        it.add(f"{folder}/{component}.conf", contents.settings(it.draw), "conf")
    for component in it.draw.sample(COMPONENTS, 2):
        it.add(f"{folder}/{component}.json", contents.json(it.draw), "json")
    for name in ("production", "staging"):
        it.add(f"{folder}/.env.{name}", contents.environment(it.draw), "conf", 0o640)


def _mail(it: WorldBuilder) -> None:
    folder = it.roles["mail"]
    for number in range(1, 13):
        text = contents.mail(it.draw, it.people, START + it.draw.integer(0, SPAN))
        it.add(f"{folder}/{it.draw.pick(('new', 'read'))}/{number:03d}.eml", text, "mail")


def _scripts(it: WorldBuilder) -> None:
    for _ in range(5):
        path = f"{it.roles['scripts']}/{it.stem()}.sh"
        it.add(path, contents.script(it.draw), "script", it.draw.pick((0o755, 0o644, 0o750)))


def _lists(it: WorldBuilder) -> None:
    for name in it.draw.sample(it.stems, 4):
        words = [it.draw.pick(THINGS) for _ in range(it.draw.integer(9, 20))]
        it.add(f"{it.roles['lists']}/{name}.lst", "".join(f"{word}\n" for word in words), "list", 0o644)


def _junk(it: WorldBuilder) -> None:
    folders = it.subfolders(it.roles["junk"], 2)
    for _ in range(9):
        data = "" if it.draw.chance(0.4) else contents.prose(it.draw, 1, 3)
        it.add(f"{it.draw.pick(folders)}/{it.stem()}.{it.draw.pick(('tmp', 'dat', 'bak', 'swp'))}", data, "junk")
    it.empty += [f"{it.roles['junk']}/{name}-old" for name in it.draw.sample(it.folders, 2)]


def _archives(it: WorldBuilder) -> None:
    for name in it.draw.sample(it.stems, 2):
        members = {f"{stem}.txt": contents.prose(it.draw, 1, 4).encode() for stem in it.draw.sample(it.stems, 4)}
        data = tar(name, members, START + it.draw.integer(0, 600) * contents.DAY)
        it.add(f"{it.roles['archives']}/{name}.tar.gz", gzip(data), "archive", 0o644)


def _odd_names(it: WorldBuilder) -> None:
    """Names that an unquoted word breaks at: blanks, brackets, a dash or a dot in front."""
    folder, stem = it.roles["docs"], it.draw.pick(it.stems)
    for name in (f"{stem} (final).txt", f"-{stem}.txt", f".{stem}.txt", f"{stem} & more.md"):
        if it.draw.chance(0.7):
            it.add(f"{folder}/{name}", contents.prose(it.draw, 1, 4), "text")


def _links(it: WorldBuilder) -> None:
    """Links, of which two or three lead nowhere: where one alone does, a command that finds one is as good as any."""
    files = [file.path for file in it.files.values() if file.kind in ("text", "conf", "csv")]
    number, broken = it.draw.integer(5, 8), it.draw.integer(2, 3)
    places = zip(it.draw.sample(files, number), it.draw.sample(it.folders, number), strict=True)
    for at, (target, name) in enumerate(places):
        end = f"{target}.gone" if at < broken else target
        relative = "../" + end.removeprefix(f"{it.root}/")
        it.links[f"{it.root}/links/{name}"] = relative if at % 2 else end


def _pointers(it: WorldBuilder) -> None:
    """Small files, each of which holds the path of a folder: what a task can refer to instead of naming it."""
    folders = sorted({folder for path in it.files for folder in parents(path) if folder.startswith(it.root)})
    for folder, name in zip(folders, it.draw.shuffled(it.stems), strict=False):
        path = f"{it.roles['pointers']}/{name}.path"
        it.add(path, f"{folder}\n", "pointer", 0o644, 0)
        it.pointers[folder] = path
