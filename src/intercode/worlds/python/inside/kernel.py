"""What can be ordered: the agent's code run, and answers to those that judge it."""

import _signal  # type: ignore[import-not-found] # `signal` takes longer to import than Python takes to start
import os
import sys

from intercode.worlds.python.inside import forks
from intercode.worlds.python.inside.code import one_line, parts, show, sources
from intercode.worlds.python.inside.paper_actions import RESET, answer_of, first_variables, wrapped
from intercode.worlds.python.inside.program import run_program
from intercode.worlds.python.inside.protocol import flush, write
from intercode.worlds.python.inside.run_limited import run_limited
from intercode.worlds.python.inside.state_hash import state
from intercode.worlds.python.inside.text_or_error import text_of_fork, text_or_error
from intercode.worlds.python.inside.values import from_plain, makers, plain

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Kernel:
    """Where code runs: `space` are its variables. Each order is one method; what it returns is told to the host."""

    def __init__(self) -> None:
        self.compiled: "dict[str, Any]" = {}
        self.reset()

    def reset(self, key: str = "") -> str:
        """Variables as at the start."""
        module = type(sys)("__main__")
        sys.modules["__main__"] = module
        self.space = module.__dict__
        self.space["__builtins__"] = sys.modules["builtins"]
        return "done"

    def silence_output(self, key: str) -> str:
        """From now on what is printed is lost."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.close(null)
        return "done"

    def get_ahead(self, key: str, modules: "list[str]") -> str:
        """Import *modules*, so that the agent's code finds them there when it does."""
        for name in modules:
            __import__(name)
        return "done"

    # The agent's code

    def run(self, key: str, text: str, action: int) -> str:
        """Run *text* as a prompt does: show the value of a last expression, and tracebacks."""
        outcome = self._run(text, action)
        return "%s %s" % (state(self.space), outcome)

    def _run(self, text: str, action: int) -> str:
        """Return the same; what became of it."""
        name = "<action %d>" % action
        sources[name] = text
        outcome = "done"
        try:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
            try:
                for part in parts(text, name):
                    exec(part, self.space)
            finally:
                _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        except SystemExit as error:
            outcome = "exit %s" % one_line(error.code)
        except BaseException as error:
            outcome = "interrupted" if isinstance(error, KeyboardInterrupt) else "error"
            show(error)
        flush()
        return outcome

    def publish(self, key: str, text: str) -> str:
        """Run an action as the published benchmark does, and print what it shows of that."""
        try:
            text = wrapped(text)
        except Exception as error:
            return self._print("Error executing action: %s" % error)
        return self.execute(key, text)

    def start_published(self, key: str) -> str:
        """Variables as the published benchmark's interpreter begins with."""
        self.reset()
        self.space.update(first_variables())
        return "done"

    def execute(self, key: str, text: str) -> str:
        """Run *text* as the published benchmark's server does, and print what it answers, as text."""
        if text == RESET:
            self.start_published(key)
        return self._print(str(answer_of(text, self.space)))

    def _print(self, text: str) -> str:
        write(text.encode("utf-8", "backslashreplace"))
        return "%s done" % state(self.space)

    # Copies, to go back to

    def keep(self, key: str, known: "list[int]", dropped: "list[int]", room: int) -> "tuple[str, str]":
        """Leave a copy of this process behind: see `copies.keep`."""
        return forks.keep(known, dropped, room)

    def back(self, key: str, process: int) -> None:
        """Let the copy *process* work in this one's place: see `copies.back`."""
        forks.back(key, process)

    def arrive(self, key: str, known: "list[int]") -> str:
        """Tell the state of variables, and whether there are processes but those *known*, or memory for others."""
        alone = not (forks.others(set(known)) or os.listdir("/dev/shm"))
        return "%s %s" % (state(self.space), "alone" if alone else "others")

    # What judges. Each in a process of its own, which is killed after so many seconds

    def value(
        self, key: str, seconds: float, name: str, submitted: str, last: str, setup: str, calls: "list[str]"
    ) -> None:
        """Print the value of *call*, with *name* for what was *submitted*, or if nothing was for *last*, if need be."""

        def find() -> None:
            self._name(name, submitted, last, setup)
            write(self._values(calls).encode("utf-8", "surrogatepass"))

        run_limited(key, seconds, find)

    def _name(self, name: str, submitted: str, last: str, setup: str) -> str:
        """Let tests find what they call by its *name*, and what they bring of their own."""
        if name not in self.space and not submitted and last in self.space:
            self.space[name] = self.space[last]
        if submitted not in ("", name):
            self.space[name] = eval(submitted, self.space)
        exec(compile(setup, "<setup>", "exec"), self.space)
        return ""

    def show(self, key: str, seconds: float, text: str) -> None:
        """Do as `run` does for a first action, in a process of its own."""
        run_limited(key, seconds, lambda: self.run(key, text, 1))

    def attempt(
        self, key: str, seconds: float, script: "list[str]", names: "list[str]", tests: "list[list[str]]", apart: bool
    ) -> None:
        """Run the actions *script* in a process of its own, and print for each of *tests* what `value` would.

        *names* are what `value` gets before the calls. All tests are asked in that process, unless *apart*. It ends
        with an error where forks of it would have said something else.
        """

        def play() -> None:
            self.silence_output(key)
            for number, text in enumerate(script, 1):
                self._run(text, number)
            if len(os.listdir("/proc/self/task")) > 1:
                raise RuntimeError("a fork has no threads")
            write("\1".join(self._answers(names, tests, apart)).encode("utf-8", "surrogatepass"))

        self._compile(tests)
        run_limited(key, seconds, play)

    def _compile(self, tests: "list[list[str]]") -> None:
        """Compile what is asked here, once for all forks that will be asked the same."""
        asked = [call for calls in tests for call in calls]
        if asked and asked[0] not in self.compiled:
            self.compiled = {call: compile(call, "<test>", "eval") for call in asked}

    def _answers(self, names: "list[str]", tests: "list[list[str]]", apart: bool) -> "list[str]":
        if apart:
            return [text_of_fork(lambda: self._name(*names) or self._values(calls)) for calls in tests]
        unnamed = text_or_error(lambda: self._name(*names))
        before = state(self.space)
        answers = [unnamed or text_or_error(lambda: self._values(calls)) for calls in tests]
        if state(self.space) != before:
            raise RuntimeError("a test sees what another has left")
        return answers

    def _values(self, calls: "list[str]") -> str:
        found = [self.compiled.get(call) or compile(call, "<test>", "eval") for call in calls]
        return "\n".join([plain(eval(each, self.space)) for each in found])

    def program(self, key: str, seconds: float, text: str, given: bytes) -> None:
        """Run *text* as a program that reads *given*, and print what it prints."""

        def play() -> None:
            self.reset()
            run_program(text, given, self.space)

        run_limited(key, seconds, play)

    def published_test(self, key: str, seconds: float, lines: "list[str]") -> None:
        """Run *lines* by the published `execute`, one after the other, and print their answers, byte 1 between them."""

        def play() -> None:
            self.space.setdefault("sys", sys)
            answers = []
            for line in lines:
                if line == RESET:
                    self.start_published(key)
                text = str(answer_of(line, self.space)).replace("\1", "\\x01")  # a `__repr__` may say anything
                answers.append(text.encode("utf-8", "backslashreplace"))
            write(b"\1".join(answers))

        run_limited(key, seconds, play)

    def check(self, key: str, seconds: float, setup: str, checks: "list[Any]") -> None:
        """Print 1 for each of *checks* that holds, else 0: pairs of a test, and texts that `plain` made, or who not."""

        def see() -> None:
            self.space["sys"] = sys
            try:
                exec(compile(setup, "<setup>", "exec"), self.space)
            except Exception:
                pass  # it may need what only the program under test defines; then so does the call, and not this
            write(b"".join([b"1" if holds(dict(self.space), test, texts) else b"0" for test, texts in checks]))

        makers()
        run_limited(key, seconds, see)


def holds(space: "dict[str, Any]", test: str, texts: "list[str]") -> bool:
    """Return whether *test* is true of the values that *texts* stand for."""
    try:
        for index, text in enumerate(texts):
            space["_value_%d" % index] = from_plain(text)
        exec(compile(test, "<test>", "exec"), space)
    except Exception:
        return False
    return len(texts) > 0
