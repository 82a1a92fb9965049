"""What tasks about repositories share: how a fix is examined, where repositories come from, what they stand on."""

from intercode.datasets.repositories.exam import ROOT, Exam, Suite, gold_command

__all__ = ["ROOT", "Exam", "Suite", "gold_command"]
