"""What tasks about repositories share: how a fix is examined, where repositories come from, what they stand on."""

from intercode.datasets.repositories.test_spec import ROOT, TestSpec, TestSuite, gold_command

__all__ = ["ROOT", "TestSpec", "TestSuite", "gold_command"]
