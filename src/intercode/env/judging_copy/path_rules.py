"""Which of an agent's changes count as its work when programs judge, and which give way to the image."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from posixpath import basename, dirname, join, normpath

from intercode.env.judging_copy.image_facts import ImageFacts
from intercode.env.judging_copy.named_places import Places
from intercode.env.judging_copy.path_classes import (
    COMPILED,
    ENVIRONMENT,
    MODULES,
    SOURCES,
    SYSTEM,
    dot_file,
    git_setting,
    in_homes,
    library_folder,
    magic_links,
    programs,
    settings,
    steering,
    where_tests_run,
)
from intercode_sandbox.sandbox import Change, Entry

CODE = (".py", ".pyc", ".so")
"""Ends of the files that Python imports."""

MOST_STEPS = 1000
"""Names on the way to where a link leads; the kernel gives up sooner."""

MOST_CLIMBED = 64
"""Folders out of which links of a session climb, other than their own: the image is asked what each of them is."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What a task's own solution changes: the paths, and the folders among them that it makes.

    `installed` are the new files and links of packages in the system, which hold nothing that leads to work.
    """

    paths: frozenset[str]
    folders: frozenset[str]
    installed: Mapping[str, Entry] = field(default_factory=dict)

    @classmethod
    def of(cls, changes: Iterable[Change], read: Callable[[str], bytes] | None = None) -> Solution:
        """Return that of a session in which nothing but the solution has run, whose files *read* gives."""
        found = list(changes)
        new = [each for each in found if each.before is None and each.after]
        made = (each.path for each in new if each.after and each.after.type == "directory")
        installed = {
            each.path: each.after
            for each in new
            if each.after and any(is_in(each.path, place) for place in SYSTEM) and not _leads_to_work(each, read)
        }
        return cls(frozenset(each.path for each in found), frozenset(made), installed)

    def has(self, path: str) -> bool:
        """Return whether it changes *path*, or makes a folder above it."""
        return path in self.paths or not self.folders.isdisjoint(parents(path))

    def installs(self, change: Change) -> bool:
        """Return whether it leaves the very same file or link there: what it installs, judges may run."""
        known, found = self.installed.get(change.path), change.after
        return known is not None and found is not None and replace(known, mtime_ns=0) == replace(found, mtime_ns=0)


@dataclass(frozen=True)
class PathRules:
    """The rules for one task.

    Attributes:
        facts: The image's.
        places: Folders and files that the programs name which judge.
        keep: Paths that the task says are its work, with all below.
        reserved: Paths that are never anybody's work: where tests and rewards come to lie.
        solution: What its solution changes; None where it has none, or nobody knows.
    """

    facts: ImageFacts
    places: Places = field(default_factory=Places)
    keep: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    solution: Solution | None = None
    _environments: dict[str, bool] = field(default_factory=dict)
    _climbed: set[str] = field(default_factory=set)

    def undone(self, changes: Sequence[Change]) -> list[Change]:
        """Return those of *changes* that give way to the image.

        A folder that is made stays where something in it does.
        """
        new = frozenset(each.path for each in changes if each.before is None)
        links = {each.path: each.after.digest for each in changes if each.after and each.after.type == "symlink"}
        stays = {each.path for each in changes if self._stays(each, new)}
        stays -= self._shadows([each for each in changes if each.path in stays])
        stays -= self._settings_of_git(changes, stays)
        stays -= {path for path, target in links.items() if self._leads_to_verifier(path, target, links)}
        needed = {above for path in stays for above in parents(path)}
        folders = (each for each in changes if each.path in needed and each.after and each.after.type == "directory")
        stays |= {each.path for each in folders if each.before is None}
        return [each for each in changes if each.path not in stays]

    def _stays(self, change: Change, new: frozenset[str]) -> bool:
        path = change.path
        if any(is_in(path, place) for place in self.reserved):
            return False
        if self._keeps(path):
            return True
        if path in self._ways and _leads_elsewhere(change):
            return False
        if self._is_installed(change):
            return True
        if self._is_setting(path, new):
            return False
        if self._is_work(path):
            return True
        if COMPILED in path or (change.before is not None and not path.startswith("/etc/")):
            return False
        return self.solution is None or self.solution.has(path)

    def _is_installed(self, change: Change) -> bool:
        return self.solution is not None and self.solution.installs(change)

    def _keeps(self, path: str) -> bool:
        return any(is_in(path, kept) for kept in self.keep)

    def _is_setting(self, path: str, new: frozenset[str]) -> bool:
        if settings.fullmatch(path):
            return True
        if any(in_homes.fullmatch(_below(path, home)) for home in parents(path) if home in self._homes):
            return True
        if any(is_in(path, place) for place in self.places.settings if place.startswith("/")):
            return True
        if self._is_computed_setting(path):
            return True
        if any(is_in(path, place) and where_tests_run.fullmatch(_below(path, place)) for place in self._tops):
            return True
        found = library_folder.fullmatch(path)
        if found and found[1] not in new:
            return True
        return self._is_in_environment(path)

    def _settings_of_git(self, changes: Sequence[Change], stays: set[str]) -> set[str]:
        """Settings of repositories that lie elsewhere, where a link or a file called .git says where."""
        pointers = (each.after for each in changes if basename(each.path) == ".git")
        if not any(each and each.type != "directory" for each in pointers):
            return set()
        found = [(path, match[1]) for path in stays if (match := git_setting.fullmatch(path)) and not self._keeps(path)]
        return {path for path, place in found if f"{place}/HEAD" in stays or self.facts.has_file(f"{place}/HEAD")}

    def _is_in_environment(self, path: str) -> bool:
        """Return whether it belongs to an environment of the image."""
        above, _, below = path.rpartition("/bin/")
        for file in ENVIRONMENT:
            if path.endswith(f"/{file}"):
                above, below = path.removesuffix(f"/{file}"), basename(file)
        if not below or "/" in below:
            return False
        if above not in self._environments:
            self._environments[above] = any(self.facts.has_file(f"{above}/{file}") for file in ENVIRONMENT)
        return self._environments[above]

    def _is_work(self, path: str) -> bool:
        """Return whether *path* is outside the system, or in a folder for work that lies in that."""
        system = [place for place in self._system if is_in(path, place)]
        works = [place for place in (*SOURCES, *self._workdirs) if is_in(path, place)]
        return len(max(system, key=len, default="")) <= len(max(works, key=len, default=""))

    @cached_property
    def _workdirs(self) -> tuple[str, ...]:
        begins = (place for place in self.places.begins if not programs.fullmatch(place))
        return tuple(place for place in (self.facts.image.workdir, *begins) if place not in ("", "/"))

    @cached_property
    def _system(self) -> tuple[str, ...]:
        """Folders of the image's programs; those of libraries that lie where people work are work."""
        above = {place for work in (*self._workdirs, *self.facts.homes) for place in (work, *parents(work))} - {*SYSTEM}
        libraries = [place for place in self.facts.libraries if not any(is_in(place, w) for w in self._workdirs)]
        folders = self.facts.program_folders
        given = (*self.facts.prefixes, *libraries, *(place for place in folders if place != "."))
        return (*SYSTEM, *(place for place in given if place not in above))

    def _is_computed_setting(self, path: str) -> bool:
        """Return whether it may lie where settings are looked for by a path that is computed, and is no known work."""
        if self.solution and self.solution.has(path):
            return False
        places = parents(path)
        homes = [home for home in places if _ends_as(home, self.places.homes)]
        if any(in_homes.fullmatch(_below(path, home)) for home in homes):
            return True
        if "" in self.places.homes and any(map(dot_file.fullmatch, (_below(path, home) for home in places))):
            return True
        return any(_ends_as(place, self.places.settings) for place in (path, *places))

    @cached_property
    def _homes(self) -> tuple[str, ...]:
        return (*self.facts.homes, *(home for home in self.places.homes if home.startswith("/")))

    @cached_property
    def _tops(self) -> tuple[str, ...]:
        """Return where the verifier may begin, and all that is above: tools look for their settings there."""
        places = (*self.places.begins, self.facts.image.workdir or "/", *self.facts.libraries)
        return tuple(dict.fromkeys(each for place in places for each in (place, *parents(place))))

    @cached_property
    def _ways(self) -> frozenset[str]:
        """Folders that lead to what is looked at here: a link in their place would lead elsewhere."""
        settings = (place for place in self.places.settings if place.startswith("/"))
        places = (*self._tops, *self._system, *self._homes, *settings)
        return frozenset(each for place in places for each in (place, *parents(place)))

    def _leads_to_verifier(self, path: str, target: str, links: Mapping[str, str]) -> bool:
        """Return whether a link leads to where tests lie, by whatever other links: a file there would judge itself.

        Links of the image are not known here: none of an image's own leads there. But what is above one is asked for.
        """
        real = parents(path)
        left, place = [*reversed(join(dirname(path), target).split("/"))], "/"
        for _ in range(MOST_STEPS):
            if magic_links.fullmatch(place) or any(is_in(place, each) for each in self.reserved):
                return True
            if not left:
                return False
            name = left.pop()
            if name == "..":
                if place not in real:
                    self._climbed.add(place)
                    if len(self._climbed) > MOST_CLIMBED:
                        return True
                    place = self.facts.real_folder(place)
                place = dirname(place)
            elif name not in ("", "."):
                place = join(place, name)
                if place in links:
                    left += reversed(links[place].split("/"))
                    place = "/" if links[place].startswith("/") else dirname(place)
        return True

    # Names that stand before the image's

    def _shadows(self, changes: Sequence[Change]) -> set[str]:
        """New programs, libraries and modules that would be taken for the image's own, with all below."""
        code = {folder for each in changes if each.path.endswith(CODE) for folder in parents(each.path)}
        new = [each for each in changes if each.before is None and not self._keeps(each.path)]
        found = {each.path for each in new if self._is_shadow(each, code)}
        return found | {each.path for each in new if not found.isdisjoint(parents(each.path))}

    def _is_shadow(self, change: Change, code: set[str]) -> bool:
        folder, name = dirname(change.path), basename(change.path)
        if folder in self._program_folders and name in self.facts.programs:
            return True
        if ".so" in name and not self._is_work(change.path) and name in self.facts.shared_objects:
            return True
        return folder in self._module_folders and self._is_module(change, code) and not self._is_installed(change)

    @cached_property
    def _program_folders(self) -> frozenset[str]:
        given = self.facts.program_folders
        return frozenset((*given, *self.places.programs, *(self._tops if "." in given else ())))

    @cached_property
    def _module_folders(self) -> frozenset[str]:
        """Return where Python may look before it looks in its own folders."""
        return frozenset((*self.places.begins, self.facts.image.workdir or "/", "/", *self.facts.libraries))

    def _is_module(self, change: Change, code: set[str]) -> bool:
        """Return whether a file or a package called so is a module that the image has, or may have."""
        name, dot, _ = basename(change.path).partition(".")
        is_link = change.after is not None and change.after.type == "symlink"
        is_code = change.path.endswith(CODE) if dot else is_link or change.path in code
        return is_code and (name in MODULES or name in self.facts.modules)


def _ends_as(path: str, ends: Sequence[str]) -> bool:
    """Return whether *path* ends with one of *ends*, none of which is absolute or empty."""
    return any(end and path.endswith(f"/{end}") for end in ends if not end.startswith("/"))


def _leads_to_work(change: Change, read: Callable[[str], bytes] | None) -> bool:
    """Return whether a new path of the system may lead programs to where agents work.

    So may a link that leaves the system, settings such as those in /etc, and a `.pth` with a line that is a folder.
    """
    path, entry = change.path, change.after
    if entry is None or entry.type not in ("file", "symlink") or COMPILED in path:
        return True
    if entry.type == "symlink":
        target = normpath(join(dirname(path), entry.digest))
        return magic_links.fullmatch(target) is not None or not any(is_in(target, place) for place in SYSTEM)
    if path.endswith(".pth"):
        lines = read(path).splitlines() if read else [path.encode()]
        return not all(line.startswith((b"import ", b"import\t", b"#")) or not line.strip() for line in lines)
    return steering.search(path) is not None


def _leads_elsewhere(change: Change) -> bool:
    """Return whether a folder is gone, or a link is there: what is below is another's, or nothing."""
    after = change.after.type if change.after else None
    was_folder = change.before is not None and change.before.type == "directory"
    return after == "symlink" or (was_folder and after != "directory")


def parents(path: str) -> list[str]:
    """Return all folders above *path*, the nearest first."""
    found = []
    while path not in ("/", ""):
        path = dirname(path)
        found.append(path)
    return found


def is_in(path: str, folder: str) -> bool:
    """Return whether *path* is *folder* or below it."""
    return path == folder or folder == "/" or path.startswith(f"{folder}/")


def _below(path: str, folder: str) -> str:
    return path[len(folder.rstrip("/")) + 1 :]
