"""Sessions that read, write and copy files in a way broken on purpose, each with the test that must notice."""

from __future__ import annotations

import shutil
from pathlib import Path

from intercode_sandbox.local.sandbox import LocalSession


class Vague(LocalSession):
    """Does not say what is wrong with a file."""

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        try:
            return super().read(path, limit=limit)
        except OSError as error:
            raise OSError(f"{path}: {error.strerror}") from error

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        try:
            super().write(path, data, mode=mode)
        except OSError as error:
            raise OSError(f"{path}: {error.strerror}") from error


class Following(LocalSession):
    """Copies folders as if nobody had laid out anything in them."""

    def upload(self, source: str | Path, path: str) -> list[str]:
        shutil.copytree(source, self.folder / path.strip("/"), dirs_exist_ok=True, ignore=_no_fifos)
        return []

    def download(self, path: str, target: str | Path, *, limit: int = 1 << 30, files: int = 1 << 16) -> list[str]:
        shutil.copytree(self.folder / path.strip("/"), target, dirs_exist_ok=True, ignore=_no_fifos)
        return []


def _no_fifos(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if Path(folder, name).is_fifo() or name in ("c", "way")}


class Shallow(LocalSession):
    """Copies only what lies in the folder itself."""

    def upload(self, source: str | Path, path: str) -> list[str]:
        files = [each for each in Path(source).iterdir() if each.is_file() and not each.is_symlink()]
        for file in files:
            self.write(f"{path}/{file.name}", file.read_bytes())
        return []

    def download(self, path: str, target: str | Path, *, limit: int = 1 << 30, files: int = 1 << 16) -> list[str]:
        Path(target).mkdir(parents=True, exist_ok=True)
        for file in (self.folder / path.strip("/")).iterdir():
            if file.is_file() and not file.is_symlink():
                shutil.copy(file, target)
        return []


class Escaping(LocalSession):
    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        return (self.folder / path[1:]).read_bytes()[:limit]


class Greedy(LocalSession):
    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        return super().read(path)


class Modeless(LocalSession):
    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        super().write(path, data)


BROKEN: list[tuple[type[LocalSession], str]] = [
    (Vague, "test_only_regular_files_are_read"),
    (Vague, "test_a_folder_cannot_be_written"),
    (Shallow, "test_a_folder_goes_in_whole"),
    (Shallow, "test_a_folder_comes_out_whole"),
    (Following, "test_a_folder_goes_in_whole"),
    (Following, "test_nothing_but_files_and_folders_comes_out"),
    (Following, "test_no_link_on_this_machine_leads_what_comes_out_astray"),
    (Following, "test_what_comes_out_has_an_end"),
    (Following, "test_what_is_no_folder_does_not_go_in_or_out"),
    (Escaping, "test_no_link_leads_out"),
    (Greedy, "test_no_more_is_read_than_asked_for"),
    (Modeless, "test_what_is_written_is_there_for_commands"),
]
