"""Python tasks without end, each with hidden tests."""

from __future__ import annotations

from typing import ClassVar

from intercode_generate.dataset import GeneratedDataset
from intercode_generate.python.maker import PythonMaker
from intercode_generate.python.world import PythonWorld


class GeneratedPythonDataset(GeneratedDataset[PythonWorld]):
    """Tasks of `generate/python/families`, ids `generated-python/SPLIT/SEED-DIFFICULTY-NUMBER`; options as its base.

    `extra` holds the hidden `tests`, and for classes `test_setup_code`, as `mbpp` has them.
    """

    name = "generated-python"
    world = "python"
    maker: ClassVar[PythonMaker] = PythonMaker()
