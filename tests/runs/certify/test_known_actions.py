"""What moves do that never look is known without playing them."""

from __future__ import annotations

from intercode.runs.certify.endings import commands
from intercode.runs.certify.known_actions import actions_of
from intercode.runs.hackcheck.adversaries import of_world
from intercode.runs.hackcheck.adversary import hands_in
from intercode.types import Task


def test_actions_are_known_unless_they_depend_on_what_is_shown() -> None:
    task = Task("t", query="What?", world="python").view()
    assert actions_of(hands_in("{query}", "a", "b")(task)) == (("a", "b"), "What?")
    assert actions_of(commands("a")) == (("a",), "")
    looking = {
        each.name for each in of_world("python") for one in each.attempts(task) if not actions_of(one.moves(task))
    }
    assert looking == {"copies-the-observation", "says-what-is-there"}
