"""The program that runs INSIDE a session: the image's own Python (3.8 or later), taking orders from the host.

It imports next to nothing, since every session pays for it. Its first process waits, and forks the one that works; when
that dies, by whatever the agent does to it, another is forked, which knows nothing of what was before. Orders are
marshalled tuples, each with its length before it: (number, generation, name, arguments…). What is printed is the
answer, and behind it, between NUL bytes, a word, the order's number and what became of it. The agent's code runs in
the same process and can read, forge and break all of this: nothing here is believed by whoever judges.
"""

import _ast
import _signal  # type: ignore[import-not-found] # `signal` takes longer to import than Python takes to start
import marshal
import os
import sys

# No annotations from __future__: code that is compiled here would have them too.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator
    from types import CodeType
    from typing import Any

ORDERS, ANSWERS = 198, 199
ONLY_TREE = 0x400
DEEPEST, LONGEST = 60, 1 << 18
HAS_TOLD = 86
PUBLISHED_RESET = "RESET_CONTAINER_SPECIAL_KEYWORD"

word = b""
sources: "dict[str, str]" = {}
prompted = "<action "


def answer(number: int, text: str) -> None:
    """Say what became of an order."""
    write(b"\0%s%d %s\0" % (word, number, text.encode("utf-8", "backslashreplace")))


def write(data: bytes) -> None:
    """Write all of it to the host."""
    while data:
        data = data[os.write(ANSWERS, data) :]


def take() -> "Any":
    """The next order; ends this process when there will be none."""
    return marshal.loads(exactly(int.from_bytes(exactly(4), "big")))


def exactly(size: int) -> bytes:
    """So many bytes of orders, and not one more: other processes read them too."""
    data = b""
    while len(data) < size:
        try:
            block = os.read(ORDERS, size - len(data))
        except OSError:
            block = b""
        if not block:
            os._exit(1)
        data += block
    return data


def keep(memory: int) -> None:
    """The first process: always have one that works."""
    for old, new in ((0, ORDERS), (1, ANSWERS)):
        os.dup2(old, new, False)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    if memory:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.RLIM_INFINITY))
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    for generation in range(1 << 30):
        process = os.fork()
        if process == 0:
            try:
                work(generation)
            finally:
                os._exit(1)
        answer(0, "died %d" % ended(process))


def ended(process: int) -> int:
    """Wait for the end of a child; its status as a shell has it."""
    try:
        status = os.waitpid(process, 0)[1]
    except ChildProcessError:  # the agent has asked not to be told of its children
        return 0
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def work(mine: int) -> None:
    """Do what is ordered until the end. What was meant for one that has died since is not done."""
    me, place = os.getpid(), Place()
    while True:
        number, generation, name, *arguments = take()
        try:
            told = getattr(place, name)(number, *arguments) if generation == mine else "stale"
        except BaseException as error:
            told = "interrupted" if isinstance(error, KeyboardInterrupt) else "error %s" % type(error).__name__
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        if os.getpid() != me:  # the agent has forked, and this is its child
            os._exit(0)
        try:
            if told is not None:
                flush()
                answer(number, told)
        except OSError:  # the agent has closed our descriptors
            os._exit(1)


def flush() -> None:
    """What is printed comes before what is told of it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # the agent may have put anything there
            continue


class Place:
    """Where code runs: `space` are its variables. Each order is one method; what it returns is told to the host."""

    def __init__(self) -> None:
        self.reset()

    def reset(self, number: int = 0) -> str:
        """Variables as at the start."""
        module = type(sys)("__main__")
        sys.modules["__main__"] = module
        self.space = module.__dict__
        self.space["__builtins__"] = sys.modules["builtins"]
        return "done"

    def hush(self, number: int) -> str:
        """From now on what is printed is lost."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.close(null)
        return "done"

    # The agent's code

    def run(self, number: int, text: str, action: int) -> str:
        """Run *text* as a prompt does: show the value of a last expression, and tracebacks."""
        name = "%s%d>" % (prompted, action)
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
        return "%s %s" % (state(self.space), outcome)

    def publish(self, number: int, text: str) -> str:
        """Run an action as the published benchmark does, and print what it shows of that."""
        try:
            text = wrapped(text)
        except Exception as error:
            return self._print("Error executing action: %s" % error)
        return self.execute(number, text)

    def start_published(self, number: int) -> str:
        """The variables that the published benchmark's interpreter begins with, less its server's own."""
        import io

        self.reset()
        self.space.update(sys=sys, StringIO=io.StringIO)
        return "done"

    def execute(self, number: int, text: str) -> str:
        """The published `execute`: print what it answers, as text."""
        if text == PUBLISHED_RESET:
            self.start_published(number)
        return self._print(str(self._published(text)))

    def _published(self, text: str) -> "dict[str, str]":
        import io

        kept = sys.stdout, sys.stderr
        try:
            sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
            caught = sys.stdout, sys.stderr
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
            exec(text, self.space)
            output, error = (stream.getvalue().strip() for stream in caught)
            return {"output": output, "error": error}
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return {"error": "Error: %s" % error}
        finally:
            _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
            sys.stdout, sys.stderr = kept

    def _print(self, text: str) -> str:
        write(text.encode("utf-8", "backslashreplace"))
        return "%s done" % state(self.space)

    # What judges. Each in a process of its own, which is killed after so many seconds

    def value(self, number: int, seconds: float, name: str, submitted: "list[str]", setup: str, call: str) -> None:
        """Print the value of *call*, once *name* stands for the first of *submitted* that there is."""

        def find() -> None:
            found = [each for each in submitted if each in self.space]
            self.space[name] = eval((found or submitted)[0], self.space)
            exec(compile(setup, "<setup>", "exec"), self.space)
            write(plain(eval(compile(call, "<test>", "eval"), self.space)).encode("utf-8", "surrogatepass"))

        return apart(number, seconds, find)

    def program(self, number: int, seconds: float, text: str, given: bytes) -> None:
        """Run *text* as a program that reads *given*, and print what it prints."""

        def play() -> None:
            entry = os.memfd_create("input")
            os.write(entry, given)
            os.lseek(entry, 0, os.SEEK_SET)
            os.dup2(entry, 0)
            os.dup2(ANSWERS, 1)
            sys.stdin, sys.stdout = open(0, encoding="utf-8"), open(1, "w", encoding="utf-8")
            self.reset()
            try:
                exec(compile(text, "<program>", "exec"), self.space)
            except SystemExit as error:
                if error.code not in (None, 0):
                    raise
            finally:
                sys.stdout.flush()

        return apart(number, seconds, play)

    def published_test(self, number: int, seconds: float, lines: "list[str]") -> None:
        """Run *lines* by the published `execute`, one after the other, and print the answers, NUL between them."""

        def play() -> None:
            self.space.setdefault("sys", sys)
            answers = []
            for line in lines:
                if line == PUBLISHED_RESET:
                    self.start_published(0)
                answers.append(str(self._published(line)).encode("utf-8", "backslashreplace"))
            write(b"\1".join(answers))

        return apart(number, seconds, play)

    def check(self, number: int, seconds: float, setup: str, checks: "list[Any]") -> None:
        """Print 1 for each of *checks* that holds, 0 for others: tests, with texts that `plain` made, or somebody else."""

        def see() -> None:
            self.space["sys"] = sys
            try:
                exec(compile(setup, "<setup>", "exec"), self.space)
            except Exception:
                pass  # it may need what only the program under test defines; then so does the call, and not this
            write(b"".join([b"1" if holds(dict(self.space), test, texts) else b"0" for test, texts in checks]))

        return apart(number, seconds, see)


def holds(space: "dict[str, Any]", test: str, texts: "list[str]") -> bool:
    """Whether *test* is true of the values that *texts* stand for."""
    try:
        for index, text in enumerate(texts):
            space["_value_%d" % index] = from_plain(text)
        exec(compile(test, "<test>", "exec"), space)
    except Exception:
        return False
    return len(texts) > 0


def apart(number: int, seconds: float, act: "Callable[[], None]") -> None:
    """Let a child *act* and tell what became of it; or tell that in its stead. None, since it is told already."""
    process = os.fork()
    if process == 0:
        try:
            limit_processor(seconds)
            act()
            answer(number, "done")
        except BaseException as error:
            answer(number, "error %s" % type(error).__name__)
        os._exit(HAS_TOLD)
    _signal.signal(_signal.SIGALRM, lambda *_: os.kill(process, _signal.SIGKILL))
    _signal.setitimer(_signal.ITIMER_REAL, 2 * seconds)
    status = ended(process)
    _signal.setitimer(_signal.ITIMER_REAL, 0)
    if status != HAS_TOLD:
        answer(number, "died %d" % status)


def limit_processor(seconds: float) -> None:
    """Let this process end after so many seconds of work; of waiting it may do as much again."""
    import resource

    most = int(seconds + 0.99)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))


def parts(text: str, name: str) -> "list[CodeType]":
    """*text* compiled: all statements, and the last one apart if it is an expression, whose value is then shown."""
    tree = compile(text, name, "exec", ONLY_TREE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
    found = [compile(tree, name, "exec")] if tree.body else []
    if last is not None:
        found.append(compile(_ast.Interactive([last]), name, "single"))
    return found


def show(error: BaseException) -> None:
    """Print the traceback, without our own part of it."""
    import linecache
    import traceback

    for name, text in sources.items():
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    traceback.print_exception(type(error), error.with_traceback(trace), trace)


def one_line(code: object) -> str:
    """An exit status, or what was given in its place, for the host."""
    return ("0" if code is None else str(code))[:200].replace("\n", " ").replace("\0", " ")


def wrapped(text: str) -> str:
    """The published benchmark's way to see a value: `print(…)` around all but what it takes for a statement."""
    if text.strip().startswith("def "):
        return text
    nodes = walk(compile(text.strip(), "<unknown>", "exec", ONLY_TREE))
    for node in nodes:
        if isinstance(node, (_ast.Assign, _ast.Import)):
            return text
        if isinstance(node, _ast.Call) and isinstance(node.func, _ast.Name) and node.func.id == "print":
            return text
    return text if text.strip().startswith("assert") else "print(%s)" % text


def walk(tree: "Any") -> "Iterator[Any]":
    """All nodes of a tree."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        for name in node._fields:
            below = getattr(node, name, None)
            for each in below if isinstance(below, list) else [below]:
                if isinstance(each, _ast.AST):
                    todo.append(each)


def state(space: "dict[str, Any]") -> str:
    """A name for variables: equal for equal names, and equal values where they are plain. No code of theirs is run."""
    told, room = [], [20000]
    try:
        for name in sorted(name for name in space if type(name) is str and name[:1] != "_"):
            told.append("%s=%s" % (name, told_of(space[name], room, 0)))
        told.append(os.getcwd())
    except (RuntimeError, OSError, MemoryError):  # a thread of the agent's is at it, or the directory is gone
        told.append("?")
    return "%016x" % (hash("\n".join(told).encode("utf-8", "surrogatepass")) & (2**64 - 1))


def told_of(value: "Any", room: "list[int]", depth: int) -> str:
    """A text for a value; of what is not plain only the type."""
    room[0] -= 1
    kind = type(value)
    if room[0] < 0 or depth > 8:
        return "..."
    if kind in (bool, int, float, complex, type(None)):
        return repr(value) if kind is not int or value.bit_length() < 9999 else hex(value)
    if kind in (str, bytes):
        room[0] -= len(value) // 64
        return repr(value[:100000])
    if kind in (list, tuple):
        return "%s(%s)" % (kind.__name__, ",".join([told_of(each, room, depth + 1) for each in value[: room[0] + 1]]))
    if kind in (set, frozenset):
        return "%s(%s)" % (kind.__name__, ",".join(sorted([told_of(each, room, depth + 1) for each in value])))
    if kind is dict:
        pairs = [(told_of(key, room, depth + 1), told_of(each, room, depth + 1)) for key, each in value.items()]
        return "{%s}" % ",".join(["%s:%s" % pair for pair in pairs])
    if kind is type(told_of):
        code = value.__code__
        return "function(%s)" % told_of([code.co_code, code.co_names, code.co_varnames], room, depth + 1)
    if kind is type:
        return "class(%s)" % ",".join(sorted([name for name in value.__dict__ if type(name) is str]))
    return "a %s" % kind.__name__


def plain(value: "Any", depth: int = 0, room: "list[int] | None" = None) -> str:
    """*value* as a Python literal, subclasses of what is plain as what they hold. Raises ValueError for the rest."""
    room = room or [LONGEST]
    room[0] -= 1
    if depth > DEEPEST or room[0] < 0:
        raise ValueError("too deep or too long")
    if value is None or value is True or value is False:
        return repr(value)
    for kind in (int, float, complex, str, bytes):
        if isinstance(value, kind):
            if kind is int and hasattr(sys, "set_int_max_str_digits"):
                sys.set_int_max_str_digits(0)
            return special_floats(kind.__repr__(value)) if kind in (float, complex) else kind.__repr__(value)
    for many, begin, end in ((list, "[", "]"), (tuple, "(", ",)"), (set, "{", "}"), (frozenset, "frozenset([", "])")):
        if isinstance(value, many):
            inner = ",".join([plain(each, depth + 1, room) for each in many.__iter__(value)])
            return begin + inner + end if inner else "%s()" % many.__name__
    if isinstance(value, dict):
        pairs = [(plain(key, depth + 1, room), plain(each, depth + 1, room)) for key, each in dict.items(value)]
        return "{%s}" % ",".join(["%s:%s" % pair for pair in pairs])
    return plain_other(value, depth, room)


def plain_other(value: "Any", depth: int, room: "list[int]") -> str:
    """What a few types of the library hold, and what iterators yield."""
    kind = type(value)
    name = "%s.%s" % (kind.__module__, kind.__name__)
    if name == "builtins.range":
        return repr(value)
    if name == "builtins.bytearray":
        return "bytearray(%r)" % bytes(value)
    if name in ("decimal.Decimal", "fractions.Fraction"):
        return "%s(%r)" % (kind.__name__, str(value))
    if name == "collections.deque":
        return "deque(%s)" % plain(list(value), depth + 1, room)
    if hasattr(kind, "__next__"):
        found = []
        for each in value:
            found.append(each)
            if len(found) > room[0]:
                raise ValueError("too long")
        return "iter(%s)" % plain(found, depth + 1, room)
    raise ValueError("not plain: %s" % name)


def special_floats(text: str) -> str:
    """Infinities and nans have no literals."""
    return "float(%r)" % text if text.strip("+-") in ("inf", "nan") else text


def from_plain(text: str) -> "Any":
    """The value that a text made by `plain` stands for. Whoever wrote it: nothing in it is run."""
    import ast
    import collections
    import decimal
    import fractions

    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    makers = {
        kind.__name__: kind
        for kind in (set, frozenset, tuple, list, float, range, bytearray, iter, collections.deque,
                     decimal.Decimal, fractions.Fraction)
    }  # fmt: skip

    def value(node: "ast.expr") -> "Any":
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return makers[node.func.id](*[value(each) for each in node.args])
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            kind = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
            return kind([value(each) for each in node.elts])
        if isinstance(node, ast.Dict):
            return {value(key): value(each) for key, each in zip(node.keys, node.values) if key}
        return ast.literal_eval(node)

    return value(ast.parse(text.strip(), "<value>", "eval").body)


if __name__ == "__main__":
    word = sys.argv.pop().encode()
    memory = int(sys.argv.pop())
    __file__ = sys._getframe().f_code.co_filename
    keep(memory)
