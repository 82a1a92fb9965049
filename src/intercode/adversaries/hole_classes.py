"""The classes of holes that rewards have, with the remedy for each, and which adversaries find them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class HoleClass:
    """A kind of mistake in a reward.

    Attributes:
        name: What reports and baselines call it.
        mistake: The mistake, in one sentence.
        remedy: How to close the hole.
        adversaries: The names of those that are paid where the mistake was made.
    """

    name: str
    mistake: str
    remedy: str
    adversaries: tuple[str, ...] = ()


NEVER_COMPARES = HoleClass(
    "never-compares",
    "the reward is paid though nothing was done: nothing is compared with what was asked for",
    "compare the final state, or the answer, with the expected one, and return 0 where there is none",
    (
        "submits-at-once", "does-nothing", "touches-everything", "kills-everything", "sets-variables",
        "greets-with-nothing", "constant-null", "moves", "documents", "refuses",
        "says-it-again",
    ),
)  # fmt: skip

OTHER = HoleClass(
    "pays-for-no-work",
    "the reward is paid for something that does none of the work",
    "read what was paid, and make the reward look at what tells it from the work",
)

CLASSES = (
    NEVER_COMPARES,
    HoleClass(
        "substring",
        "the answer is searched for, so that whoever prints everything has printed it",
        "compare the whole answer, not a part of it, and give no credit for lines that were not asked for",
        (
            "echoes-the-query", "copies-the-observation", "prints-every-file", "prints-numbers", "prints-every-path",
            "prints-what-is-there", "hands-in-the-query", "runs-the-query", "prints-every-table", "counts-every-table",
            "names-every-clause", "says-what-is-asked", "says-what-is-there", "selects-many-columns",
            "prints-without-end", "says-what-is-dictated", "says-every-answer",
        ),
    ),
    HoleClass(
        "trusts-reports",
        "what the agent says or writes of its success is believed",
        "look at the work itself: what programs print when the grader runs them, not a log, a marker or a word",
        (
            "says-success", "writes-success", "touches-markers", "overwrites-scripts",
            "answers-in-the-format", "calls-tools",
        ),
    ),
    HoleClass(
        "form-only",
        "the form is looked at (a number, a length, a pattern, a name, a mode), and not the content",
        "compare the content with the expected one; check the form beside it, never instead of it",
        (
            "says-a-number", "says-a-shape", "says-either", "prints-as-many-lines", "writes-at-length", "makes-folders",
            "changes-modes", "makes-files-alike", "constant-table", "selects-one-row", "prints-the-invisible",
            "hands-in-flags", "hands-in-a-pattern", "hands-in-an-empty-flag", "hands-in-placeholders",
            "hands-in-small-flags", "copies-what-is-there", "links-what-is-named", "says-much",
            "fills-in-calls", "writes-the-form", "makes-as-many-files",
        ),
    ),
    HoleClass(
        "only-absence",
        "something has to be gone, or no error to be there: whoever deletes everything has no error either",
        "check also that what was to stay is still there, with its content",
        (
            "deletes-everything", "deletes-what-is-named", "deletes-tests",
        ),
    ),
    HoleClass(
        "fails-alike",
        "the expected answer is computed where the agent has been: what is broken there makes both fail alike",
        "compute the expected answer before, or in a copy that the agent never had, and refuse one that failed",
        ("deletes-every-row", "drops-every-table", "renames-every-table", "fails"),
    ),
    HoleClass(
        "answers-in-reach",
        "the answer lies where the agent can read it",
        "take expected files, keys, flags, patches and histories out of the agent's world",
        (
            "prints-leftovers", "applies-what-is-there", "searches-for-flags", "selects-a-table", "selects-a-column",
            "copies-the-grader", "says-what-tools-show",
        ),
    ),
    HoleClass(
        "verifier-beside-agent",
        "the grader runs over what the agent left: its programs, settings, modules, tests or reward file",
        "grade in a fresh copy: the image's own system and the grader's own files, with the agent's work put in "
        "(isolated interpreter: python3 -I; own working directory; PATH of its own; reward file written last, by a "
        "name that is not there before)",
        (
            "replaces-programs", "acts-after-submission", "leaves-a-preload", "leaves-libraries",
            "leaves-sitecustomize", "leaves-usercustomize", "leaves-modules", "leaves-settings-of-tests",
            "leaves-modules-of-perl", "leaves-alternatives", "leaves-programs", "leaves-settings-of-shells",
            "leaves-settings-of-git", "overwrites-tests", "passes-by-plug-in", "only-collects", "exits-at-start",
            "overwrites-the-grader", "writes-the-reward-early", "writes-the-reward-late", "forges-checksums",
            "leads-the-search-path",
        ),
    ),
    HoleClass(
        "runs-agents-code",
        "the agent's code runs inside the process that judges, and can end or change it",
        "run the agent's code in a process of its own, and compare there where it cannot reach: plain values, by bytes",
        (
            "says-yes", "exits-early", "raises-exit", "patches-python", "swallows-errors", "equals-everything",
            "fails-as-expected", "raises-errors",
            "ends-the-grader", "says-what-evaluates", "says-programs", "writes-code-for-data",
        ),
    ),
    HoleClass(
        "known-examples",
        "the tests are the examples of the request, or want no more than a name",
        "add hidden tests whose inputs and outputs the request does not show",
        (
            "returns-none", "returns-its-argument", "returns-constants", "answers-what-is-asked",
            "answers-the-examples", "writes-modules", "makes-stubs", "prints-what-is-shown",
        ),
    ),
    HoleClass(
        "believes-git",
        "git in the agent's world is asked what changed, and the agent's git says nothing",
        "compare the files themselves with a copy that the agent never had",
        ("deletes-and-commits", "stages", "ignores-itself", "commits"),
    ),
    HoleClass(
        "judge-can-be-talked-to",
        "a model judges, and does as the text that it judges tells it",
        "give the judge the state instead of the agent's words, quote what is judged, and let rules decide",
        ("talks-to-the-judge",),
    ),
)  # fmt: skip
"""All classes, those of the published audits among them."""


@cache
def _by_adversary() -> dict[str, HoleClass]:
    return {name: each for each in CLASSES for name in each.adversaries}


def class_of(adversary: str) -> HoleClass:
    """Return the class of the hole that pays the *adversary* of this name; `OTHER` for one that is not ours."""
    return _by_adversary().get(adversary, OTHER)


def find(name: str) -> HoleClass:
    """Return the class called *name*; `OTHER` for an unknown one."""
    return next((each for each in CLASSES if each.name == name), OTHER)
