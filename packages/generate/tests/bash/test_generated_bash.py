"""The generated Bash tasks: the contract of a data set, and that nothing but the recipe decides them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from intercode.datasets import load
from intercode.datasets.base import Dataset
from intercode.errors import UserError
from intercode.testing.dataset import DatasetContract
from intercode_generate.bash.dataset import GeneratedBashDataset
from intercode_generate.bash.registry import FAMILIES
from intercode_sandbox.images import Image

SHOW = "from intercode.datasets import load; d = load('generated-bash', count=60, seed=3); print(repr(list(d)))"


class TestGeneratedBash(DatasetContract):
    @pytest.fixture
    def dataset(self) -> Dataset:
        return load("generated-bash", count=60, seed=3)


def test_other_processes_make_the_same_tasks_whatever_their_hashes() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SHOW], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in ("0", "12345")
    }
    assert len(said) == 1


def test_a_larger_count_only_adds_tasks() -> None:
    few, many = GeneratedBashDataset(count=10), GeneratedBashDataset(count=90)
    assert list(few) == list(many)[:10]


def test_tasks_of_a_batch_share_an_image_and_others_do_not() -> None:
    dataset, base = GeneratedBashDataset(count=80), Image("base", ())
    images = {id(dataset.image(task, base)) for task in dataset}
    assert len(images) == 2
    assert dataset.image(dataset[0], base).digest != dataset.image(dataset[79], base).digest


def test_a_difficulty_is_that_of_all_tasks() -> None:
    assert {task.difficulty for task in GeneratedBashDataset(count=40, difficulty="hard")} == {"hard"}
    assert {task.difficulty for task in GeneratedBashDataset(count=40)} == {"easy", "medium", "hard"}


@pytest.mark.parametrize(
    "options", [{"count": 0}, {"count": "x"}, {"seed": True}, {"split": "test"}, {"difficulty": "odd"}]
)
def test_options_that_do_not_exist_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(UserError):
        load("generated-bash", **options)


def test_texts_of_different_splits_never_meet() -> None:
    texts = {
        split: {task.query for task in GeneratedBashDataset(count=120, split=split)}
        for split in ("train", "validation", "test-parameters", "test-phrasings")
    }
    assert not texts["train"] & texts["validation"]
    assert not texts["train"] & (texts["test-parameters"] | texts["test-phrasings"])


def test_every_family_has_a_name_phrasings_and_a_description() -> None:
    families = FAMILIES.all()
    assert len({family.name for family in families}) == len(families) >= 3
    for family in families:
        assert family.make.__doc__, f"{family.name} does not say what it is"
        assert len(set(family.phrasings)) == len(family.phrasings) >= 3
