"""The worlds' names at gymnasium: `gymnasium.make("intercode/Bash-v1")`.

Gymnasium has had no plug-ins since 1.0: a package's names are known once it is imported. `import intercode` after
gymnasium does that, `import intercode.env` in any order, and so does a name that says what to import:
`gymnasium.make("intercode:intercode/Bash-v1")`. A task of one's own is `gymnasium.make("intercode/Own-v1",
world="./FOLDER")`.
"""

from __future__ import annotations

from importlib.metadata import entry_points

import gymnasium

from intercode import world_specs
from intercode.datasets.folder import installed_folders

OWN = "intercode.env.custom:make"


def register_all() -> None:
    """Make all worlds known to gymnasium: ours, `intercode/Own-v1` for folders, and under their names installed ones.

    Doing it twice is harmless. There is no `max_episode_steps`: a world counts its turns itself, since the last one is
    judged.
    """
    outside = {f"intercode/{point.name}-v1": point.value for point in entry_points(group="intercode.envs")}
    ours = {f"intercode/{world_specs.find(name).title}-v1": _place_of(name) for name in world_specs.names()}
    for name, place in {**outside, **ours, "intercode/Own-v1": OWN}.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point=place)
    for world in installed_folders():
        if f"intercode/{world}-v1" not in gymnasium.registry:
            gymnasium.register(id=f"intercode/{world}-v1", entry_point=OWN, kwargs={"world": world})


def _place_of(world: str) -> str:
    """Return where the class of one of our worlds is. It is only imported when an environment is made."""
    return f"intercode.worlds.{world}:{world.capitalize()}Env"
