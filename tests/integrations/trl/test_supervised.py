"""The page on supervised training, as it is printed; with a tiny random model in the place of the one it names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_model import tiny_model, tiny_tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "supervised.md"
NAMED = '"HuggingFaceTB/SmolLM2-135M-Instruct"'

pytestmark = pytest.mark.filterwarnings("default")  # the libraries' own


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_printed_commands_and_the_printed_program_train_a_model(tmp_path: Path) -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.save_pretrained(tmp_path / "tiny")
    tiny_model(tokenizer).save_pretrained(tmp_path / "tiny")
    make = blocks("sh")[0]
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    subprocess.run(["bash", "-ec", make], cwd=tmp_path, env={"PATH": path, "HOME": str(tmp_path)}, check=True)

    (program,) = (block for block in blocks("python") if "SFTTrainer" in block)
    assert NAMED in program
    (tmp_path / "train.py").write_text(program.replace(NAMED, repr(str(tmp_path / "tiny"))))
    done = subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    before, after = (AutoModelForCausalLM.from_pretrained(tmp_path / name) for name in ("tiny", "trained"))
    assert any((old != new).any() for old, new in zip(before.parameters(), after.parameters(), strict=True))
    said = [{"role": "user", "content": "hello"}]
    assert AutoTokenizer.from_pretrained(tmp_path / "trained").apply_chat_template(said, tokenize=False)
