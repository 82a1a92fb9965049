"""The copy of a finished session in which programs judge: what an agent left beside its work is the image's again."""

from intercode.env.judging_copy.copies import JudgingCopies
from intercode.env.judging_copy.named_places import Places
from intercode.env.judging_copy.path_rules import Solution

__all__ = ["JudgingCopies", "Places", "Solution"]
