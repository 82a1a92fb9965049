"""The program that judges a fix, inside the fresh session: it puts the fix in place, runs the tests, and reports.

It is handed to the image's own Python as text (`python3 -s -c`) and imports nothing of ours; annotations are quoted,
and nothing newer than Python 3.6 is used. Its order comes through standard input. It reports through what was its
standard output, one line a record, each with a code that only who knows the key can make; the key comes with the order
and is in no argument, variable of the environment, or file. What the tests print goes to standard error.

The tested code runs in the same process and could find the key by searching it: nobody who runs tests in the process of
what they test can rule that out. It is met by controls: tests that must fail, in the company of the real ones, and
another run in which the real ones were broken (`mutate_tests.py`). Code that makes tests pass makes those pass, too.
"""

import base64
import hmac
import importlib.util
import json
import os
import runpy
import subprocess
import sys
import unittest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Report = Callable[..., None]

WORST = ("passed", "xfailed", "skipped", "xpassed", "failed", "error")


def main() -> "None":
    """Read the order, carry it out, report, and end at once: nothing that waits for the end of the process is heard."""
    sys.path[:] = [each for each in sys.path if each]  # "" is the folder that it starts in
    order = json.loads(sys.stdin.buffer.read().decode())
    report = channel(base64.b64decode(order.pop("key")))
    os.chdir(order["root"])
    unfit = prepare(order)
    if unfit:
        report("unfit", why=unfit)
        os._exit(1)
    report("ready")
    sys.modules["__main__"] = type(sys)("__main__")  # what is tested finds nothing of ours under this name
    sys.path[:0] = [order["root"], *order["imports"]]
    runner = run_pytest if order["runner"] == "pytest" else run_unittest
    code = runner(order, report)
    report("end", code=int(code))
    os._exit(0)


def channel(key: "bytes") -> "Report":
    """Take standard output for reports alone; returns the function that writes them."""
    descriptor, process = os.dup(1), os.getpid()
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    blank = hmac.new(key, digestmod="sha256")
    dumps, write, here = json.dumps, os.write, os.getpid
    count = [0]

    def report(kind: "str", **facts: "object") -> "None":
        if here() != process:  # a test has forked, and its child went on into the tests
            return
        line = dumps(dict(facts, kind=kind, number=count[0])).encode()
        count[0] += 1
        code = blank.copy()
        code.update(line)
        rest = code.hexdigest().encode() + b" " + line + b"\n"
        while rest:
            rest = rest[write(descriptor, rest) :]

    return report


# Putting the fix in place


def prepare(order: "dict[str, Any]") -> "str":
    """Return the hidden tests first, then the fix without what git ignores; why it cannot be done, or nothing.

    Nothing of the fix can be a reason: what of it cannot be put in place is left out.
    """
    lacking = describe_missing(order)
    for name, what in (("test_patch", "test patch"), ("patch", "gold")):
        lacking = lacking or apply(what, base64.b64decode(order.pop(name)))
    if lacking:
        return lacking
    break_tests(order.pop("spoiling"))
    written = [(base64.b64decode(path), mode, base64.b64decode(content)) for path, mode, content in order["written"]]
    new = [base64.b64decode(path) for path in order["new"]]
    ignored = set(git("check-ignore", "-z", "--stdin", given=b"\0".join(new)).stdout.split(b"\0"))
    for path in sorted(map(base64.b64decode, order["removed"]), reverse=True):
        remove(path)
    for path, mode, content in written:
        if path not in ignored:
            write_file(path, mode, content)
    return ""


def apply(what: "str", patch: "bytes") -> "str":
    """Apply *patch*; why it cannot be done, or nothing."""
    try:
        done = git("apply", "--whitespace=nowarn", "-", given=patch)
    except OSError as error:
        return "git cannot be run (the image needs it): {}".format(error)  # noqa: UP032
    return "the {} does not apply: {}".format(what, text_of(done.stderr)) if done.returncode else ""  # noqa: UP032


def break_tests(spoiling: "dict[str, Any]") -> "None":
    """Break tests, where that is ordered; nothing of it is left for what is tested to find."""
    if spoiling:
        space = {"__name__": "mutate_tests"}  # type: dict[str, Any]
        exec(spoiling["program"], space)
        space["mutate_tests"](spoiling["files"], spoiling["names"])


def describe_missing(order: "dict[str, Any]") -> "str":
    """Return what the image should have for the tests, and has not; nothing if all is there."""
    if order["runner"] == "pytest":
        found = importlib.util.find_spec("pytest")
        if found is None:
            return "it has no pytest (for {})".format(sys.executable)  # noqa: UP032
        if not (found.origin or "").startswith(order["root"] + "/"):  # else it is what is to be mended
            importlib.import_module("pytest")
    if order["script"] and not os.path.exists(order["script"]):
        return "the repository has no program {} to run its tests".format(order["script"])
    return ""


def git(*arguments: "str", given: "bytes") -> "subprocess.CompletedProcess[bytes]":
    """Run git in the repository, which is as the image has it; nothing is done for nothing given."""
    if not given:
        return subprocess.CompletedProcess([], 0, b"", b"")
    return subprocess.run(["git", *arguments], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)  # noqa: UP022


def text_of(output: "bytes") -> "str":
    """Return the end of what a program said."""
    return output.decode("utf-8", "replace").strip()[-500:]


def remove(path: "bytes") -> "None":
    """Remove a file or an empty folder; what cannot be removed stays, with whatever is in it that has to stay."""
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        else:
            os.unlink(path)
    except OSError:
        pass


def write_file(path: "bytes", mode: "int", content: "bytes") -> "None":
    """Write a file anew. One that would come to lie elsewhere, or in the place of what has to stay, is left out."""
    folder = os.path.dirname(os.path.join(os.getcwdb(), path))
    try:
        os.makedirs(folder, exist_ok=True)
        if os.path.realpath(folder) != folder:
            return
        remove(path)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError:
        return
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


# Running the tests

CONTROL = """
import unittest

def test_{name}():
    assert 1 == 2

class Test{name}(unittest.TestCase):
    def test_{name}(self):
        self.assertEqual(1, 2)
"""


def run_pytest(order: "dict[str, Any]", report: "Report") -> "int":
    """Run the files that hold the tests; the one with the controls comes last."""
    import pytest

    files = [path for path in order["targets"] if os.path.exists(path)]
    if not files:
        return 4
    if order["control"]:
        files.append(os.path.join(os.path.dirname(files[-1]), "test_{}.py".format(order["control"])))
        with open(files[-1], "w") as file:
            file.write(CONTROL.format(name=order["control"]))
    options = ["-p", "no:cacheprovider", "--color=no", "--continue-on-collection-errors", *order["arguments"]]
    return pytest.main([*options, *files], plugins=[PytestReporter(report)])


class PytestReporter:
    """A plug-in for pytest: one record for each test, when it has been torn down."""

    def __init__(self, report: "Report") -> "None":
        self._report = report
        self._statuses = {}  # type: dict[str, str]
        self._config = None  # type: Any

    def pytest_configure(self, config: "Any") -> "None":
        """Keep the configuration, which knows how tests are called from here."""
        self._config = config

    def pytest_runtest_logreport(self, report: "Any") -> "None":
        """Take a phase of a test that is over: set-up, call or tear-down. The worst of them counts."""
        status = self._statuses.get(report.nodeid, "passed")
        self._statuses[report.nodeid] = worse_status(status, status_of(report))
        if report.when == "teardown":
            name = report.nodeid
            if hasattr(self._config, "cwd_relative_nodeid"):
                name = self._config.cwd_relative_nodeid(name)
            self._report("test", names=[name], status=self._statuses.pop(report.nodeid))


def status_of(report: "Any") -> "str":
    """Return what a phase of a test in pytest came to."""
    expected = hasattr(report, "wasxfail")
    if report.outcome == "passed":
        return "xpassed" if expected and report.when == "call" else "passed"
    if report.outcome == "skipped":
        return "xfailed" if expected else "skipped"
    return "failed" if report.when == "call" else "error"


def worse_status(one: "str", other: "str") -> "str":
    """Return the worse of two statuses."""
    return max(one, other, key=WORST.index)


def run_unittest(order: "dict[str, Any]", report: "Report") -> "int":
    """Run the tests by their dotted names, or the project's own program that does so with unittest."""
    watch(unittest.TestResult, report)
    if order["script"]:
        sys.argv = [order["script"], *order["arguments"], *order["targets"]]
        sys.path.insert(0, os.path.dirname(os.path.abspath(order["script"])))
        try:
            runpy.run_path(order["script"], run_name="__main__")
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else int(end.code is not None)
        return 0
    suite = unittest.defaultTestLoader.loadTestsFromNames(order["targets"])
    if order["control"]:
        suite.addTest(control(order["control"]))
    return int(not unittest.TextTestRunner().run(suite).wasSuccessful())


def control(name: "str") -> "unittest.TestCase":
    """Return a test that must fail."""

    def fail(self: "unittest.TestCase") -> "None":
        self.assertEqual(1, 2)  # noqa: PT009

    return type("Test" + name, (unittest.TestCase,), {"test_" + name: fail})("test_" + name)  # type: ignore[no-any-return]


SAYS = {
    "addSuccess": "passed",
    "addExpectedFailure": "xfailed",
    "addSkip": "skipped",
    "addUnexpectedSuccess": "xpassed",
    "addFailure": "failed",
    "addError": "error",
}
"""What each method of unittest's results says of a test."""


def watch(results: "Any", report: "Report") -> "None":
    """Have every result of unittest report its tests, whichever class of results the project uses."""
    statuses = {}  # type: dict[int, str]
    for method, status in SAYS.items():
        setattr(results, method, record_status(getattr(results, method), status, statuses))
    usual_sub_test, usual_stop = results.addSubTest, results.stopTest

    def sub_test(self: "Any", test: "Any", part: "Any", error: "Any") -> "None":
        if error is not None:
            statuses[id(test)] = worse_status(statuses.get(id(test), "failed"), "failed")
        usual_sub_test(self, test, part, error)

    def stop(self: "Any", test: "Any") -> "None":
        status = statuses.pop(id(test), None)
        if status is not None:
            report("test", names=names_of(test), status=status)
        usual_stop(self, test)

    results.addSubTest, results.stopTest = sub_test, stop


def record_status(usual: "Callable[..., None]", status: "str", statuses: "dict[int, str]") -> "Callable[..., None]":
    """Return the method *usual*, which also notes that a test has this status, if it had no worse one."""

    def record(self: "Any", test: "Any", *rest: "Any") -> "None":
        statuses[id(test)] = worse_status(statuses.get(id(test), status), status)
        usual(self, test, *rest)

    return record


def names_of(test: "unittest.TestCase") -> "list[str]":
    """Return all that a test of unittest may be called.

    Its dotted name, as versions of Python print it, its description.
    """
    dotted = test.id()
    owner, _, method = dotted.rpartition(".")
    names = [dotted, "{} ({})".format(method, owner), "{} ({})".format(method, dotted)]  # noqa: UP032
    description = test.shortDescription()
    return [*names, description] if description else names


if __name__ == "__main__":
    main()
