"""Ways to be judged right without being right. None of them scores, under `exact`, above what the code is worth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.errors import MachineError
from intercode.types import Action, Task
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.test_judge import ResultChecker
from intercode_sandbox.sandbox import Limits, Sandbox
from worlds.python.python_world import FewTasks

SECRET = "tok-5f2c1e"
TASK = Task(
    "tiny/token",
    "Write a function `token(number)`, whose answers nobody can guess.",
    f"def token(number):\n    return [f'{SECRET[:4]}{{value}}' for value in ('5f2c1e',)] * number",
    "python",
    extra={"tests": [f"assert sorted(token({number})) == ['{SECRET}'] * {number}" for number in (1, 2, 3)]},
)

WRONG = "def token(number): return ['wrong'] * number"

CHEATS = {
    "an object that equals everything": """
class Yes(list):
    __eq__ = __le__ = __lt__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = None
def token(number): return Yes(['wrong'] * number)
""",
    "assertions and errors replaced": f"""
import builtins
builtins.AssertionError = builtins.BaseException = builtins.Exception = type('Calm', (Exception,), {{}})
{WRONG}
""",
    "the names of a test overwritten": f"""
{WRONG}
def sorted(values): return Everything()
class Everything:
    __eq__ = lambda self, other: True
_value_0 = ['{"tok-"}'] ; checks = holds = check = _same = lambda *a: True
import builtins; builtins.sorted = sorted
""",
    "exit": "import sys\ndef token(number): sys.exit(0)",
    "exit at once": f"import sys\n{WRONG}\nsys.exit(0)",
    "os._exit": "import os\ndef token(number): os._exit(0)",
    "os._exit with the status of one that has told": "import os\ndef token(number): os._exit(86)",
    "os._exit at once": f"{WRONG}\nimport os\nos._exit(0)",
    "builtins that run and compile": f"""
import builtins
{WRONG}
builtins.exec = builtins.eval = builtins.compile = lambda *a, **k: None
""",
    "our own program patched": f"""
import sys
{WRONG}
for name, module in list(sys.modules.items()):
    if 'inside' in name:
        for key in ('plain', 'holds', 'from_plain', 'state', 'ended'):
            if hasattr(module, key): setattr(module, key, lambda *a, **k: True)
kernel = sys.modules['intercode.worlds.python.inside.kernel']
kernel.Kernel.check = lambda self, number, *a: (kernel.write(b'111'), 'done')[1]
""",
    "answers written beforehand": f"""
import sys
wire = sys.modules['intercode.worlds.python.inside.protocol']
{WRONG}
for number in range(100):
    wire.write(b'111'); wire.answer(str(number), 'done')
""",
    "a thread that answers": f"""
import sys, threading, time
wire = sys.modules['intercode.worlds.python.inside.protocol']
{WRONG}
def answer():
    main = threading.main_thread().ident
    while True:
        frame = sys._current_frames()[main]
        while frame:
            if 'key' in frame.f_locals: wire.write(b'111'); wire.answer(frame.f_locals['key'], 'done')
            frame = frame.f_back
        time.sleep(0.001)
threading.Thread(target=answer, daemon=True).start()
""",
    "a process left behind that answers": f"""
import os, sys, time
wire = sys.modules['intercode.worlds.python.inside.protocol']
{WRONG}
if os.fork() == 0:
    os.setsid()
    for _ in range(300):
        for number in range(20): wire.write(b'111'); wire.answer(str(number), 'done')
        time.sleep(0.01)
    os._exit(0)
""",
    "code in a value": """
class Code(str):
    def __repr__(self): return "__import__('os')._exit(86)"
def token(number): return [Code('wrong')] * number
""",
    "text that is code": """
import sys
wire = sys.modules['intercode.worlds.python.inside.protocol']
values = sys.modules['intercode.worlds.python.inside.kernel']
values.plain = lambda *a: "[exec('raise SystemExit') or 'x' for _ in [0]]"
def token(number): return 1
""",
    "the answer looked for in memory": """
import re
def token(number):
    found = set()
    with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:
        for line in maps:
            begin, end = (int(part, 16) for part in line.split()[0].split('-'))
            if ' rw' not in line or end - begin > 1 << 26: continue
            try: memory.seek(begin); found |= set(re.findall(rb'tok-[0-9a-f]{6}', memory.read(end - begin)))
            except (OSError, ValueError, OverflowError): pass
    return [each.decode() for each in found][:1] * number
""",
    "the answer looked for in files and arguments": """
import glob, re
def token(number):
    for path in glob.glob('/proc/[0-9]*/cmdline') + glob.glob('/proc/[0-9]*/environ') + glob.glob('/tmp/*'):
        try: found = re.search(rb'tok-[0-9a-f]{6}', open(path, 'rb').read())
        except OSError: continue
        if found: return [found[0].decode()] * number
    return []
""",
    "the answer looked for in frames": """
import sys, re
def token(number):
    frame, seen = sys._getframe(), ''
    while frame: seen += repr(frame.f_locals) + repr(frame.f_globals); frame = frame.f_back
    return re.findall('tok-[0-9a-f]{6}', seen)[:1] * number
""",
    "a value that breaks its reader": """
def token(number): return ['['] * number + [float('nan'), '\\0', '\\ud800', 10**5000]
""",
    "a value without end": "def token(number):\n    while True: yield 'wrong'",
    "a value too deep": """
def token(number):
    value = []
    for _ in range(10000): value = [value]
    return value
""",
    "the process above killed": f"{WRONG}\nimport os; os.kill(os.getppid(), 9)",
    "orders read away": f"""
import os, threading
{WRONG}
threading.Thread(target=lambda: os.read(198, 1 << 20), daemon=True).start()
""",
}


@pytest.fixture(scope="module")
def env(sandbox: Sandbox) -> Iterator[PythonEnv]:
    with PythonEnv(FewTasks(tasks=[TASK]), sandbox=sandbox, limits=Limits(seconds=1)) as env:
        yield env


def exact(env: PythonEnv, text: str, task: Task = TASK) -> float:
    env.start_episode(task)
    env.take_action(Action("execute", text))
    scores = env.take_action(Action("submit", "token")).scores
    assert scores is not None
    return scores["exact"].value


def test_what_is_right_scores(env: PythonEnv) -> None:
    assert exact(env, TASK.gold or "") == 1


@pytest.mark.parametrize("text", CHEATS.values(), ids=CHEATS.keys())
def test_cheating_does_not(env: PythonEnv, text: str) -> None:
    assert exact(env, text) == 0


def test_cheating_under_one_agent_leaves_the_next_alone(env: PythonEnv) -> None:
    """The checker's session outlives episodes: nothing of them may reach it."""
    for text in list(CHEATS.values())[1:12:5]:
        exact(env, text)
    assert exact(env, TASK.gold or "") == 1
    assert exact(env, WRONG) == 0


def test_a_checker_that_has_died_meanwhile_fails_nobody(env: PythonEnv) -> None:
    assert exact(env, TASK.gold or "") == 1
    for interpreter in ResultChecker.of(env.sandbox).interpreters:
        interpreter.session.kill()
    assert exact(env, TASK.gold or "") == 1


def test_a_checker_whose_session_is_gone_is_an_error_once(env: PythonEnv) -> None:
    assert exact(env, TASK.gold or "") == 1
    for interpreter in ResultChecker.of(env.sandbox).interpreters:
        interpreter.session.close()
    with pytest.raises(MachineError):
        exact(env, TASK.gold or "")
    assert exact(env, TASK.gold or "") == 1


def test_each_test_meets_fresh_code(env: PythonEnv) -> None:
    """What one call changes, the next does not see."""
    text = "calls = []\ndef token(n):\n    calls.append(1)\n    return ['tok-5f2c1e'] * n if len(calls) == 1 else []"
    assert exact(env, text) == 1


def test_the_tests_and_the_gold_are_nowhere_in_the_agents_session(env: PythonEnv) -> None:
    """Not before judging and not after it either, where judging is asked for in the middle of an episode."""
    env.start_episode(TASK)
    env.take_action(Action("execute", CHEATS["the answer looked for in memory"]))
    for _ in range(2):
        assert env.take_action(Action("execute", "token(1)")).observation.text == "[]\n"
        env.judge()


def test_a_failing_gold_agrees_with_nothing(env: PythonEnv) -> None:
    """A test that the gold does not pass is passed by nobody who fails in the same way."""
    task = Task(
        "tiny/failing", "?", "def token(n): raise KeyError", "python", extra={"tests": ["assert token(1) == 1"]}
    )
    assert exact(env, task.gold or "", task) == 0


@pytest.mark.parametrize(
    "text",
    [
        "import os\ndef token(n):\n    os.write(199, b'\\1a\\1b')\n    return []",
        "import os\ndef token(n):\n    if os.fork(): os.wait()\n    return []",
        "def token(n): return type('Odd', (), {'__repr__': lambda self: '\\1'})()",
    ],
    ids=["written", "forked", "shown"],
)
def test_answers_too_many_are_a_failure_and_no_error(env: PythonEnv, text: str) -> None:
    """The published reward compares them one by one with the gold's."""
    assert exact(env, text) == 0
