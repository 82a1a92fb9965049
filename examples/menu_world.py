"""A whole world in one file: an action is a sed script that edits a menu. With three tasks, and a reward."""

from pathlib import Path

from intercode.datasets.base import ListedDataset
from intercode.env.env import Env
from intercode.rewards.base import EpisodeResult
from intercode.types import Observation, Score, Task
from intercode.worlds import WorldSpec

FILE = "/menu.txt"
MENU = """\
# soups
onion soup = 6
fish soup = 11
# desserts
apple pie = 5
ice cream = 4
"""
SED = ["sed", "--sandbox"]  # without the commands of sed that run programs, or write other files
TASKS = {
    "comments": ("Remove the lines that begin with #.", "/^#/d"),
    "prices": ("Write the prices as $6 instead of = 6.", "s/ = / $/"),
    "ice": ("There is no ice cream any more, but honey cake for 5.", "s/^ice cream = 4$/honey cake = 5/"),
}


class MenuEnv(Env):
    """An action is a sed script. The file is what it was edited to, and is shown after each action."""

    world_spec = WorldSpec(
        "menu",
        language="sed",
        about=f"a menu, {FILE}, by scripts of sed",
        code="a sed script, which edits the file in place",
        rules=("You are judged by what the file holds in the end.",),
        reading_actions=("",),
    )

    def prepare(self) -> None:
        """Begin with the menu as it is printed."""
        super().prepare()
        self.current_session.write(FILE, MENU.encode())

    def execute(self, text: str) -> Observation:
        """Run the script *text*, whatever it is. What is wrong with it goes into the observation."""
        if "\0" in text or len(text) > 10_000:
            return Observation("[no sed script: it holds a NUL character, or is too long]", 1)
        script = text.encode("utf-8", "replace").decode()
        result = self.current_session.run([*SED, "--in-place", "--expression", script, FILE])
        shown = result.text or self.current_session.read(FILE, limit=100_000).decode(errors="replace")
        return Observation(shown, result.exit_code, result.timed_out, result.truncated, result.seconds)


class MenuDataset(ListedDataset):
    """Three requests, and the script that meets each."""

    name = "menu"
    world = "menu"
    reward_file = Path(__file__)

    def __init__(self) -> None:
        self._tasks = [Task(f"menu/{name}", query, gold, "menu") for name, (query, gold) in TASKS.items()]


def reward(result: EpisodeResult) -> Score:
    """Return 1 if the file is what the gold makes of the menu; the lines that are right are told beside it."""
    gold = result.run([*SED, "--expression", result.task.gold or ""], stdin=MENU.encode()).output
    found, lines = result.read(FILE), gold.splitlines()
    right = sum(mine == line for mine, line in zip(found.splitlines(), lines, strict=False))
    return Score(float(found == gold), found == gold, {"lines": right / len(lines)})


if __name__ == "__main__":
    with MenuEnv(MenuDataset()) as env:
        query, _ = env.reset(options={"task": "comments"})
        env.step("/^#/d")
        print(query, env.step("submit")[1])
