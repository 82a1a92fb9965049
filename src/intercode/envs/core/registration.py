"""The worlds' names at gymnasium: `gymnasium.make("intercode/Bash-v1")`.

Gymnasium has had no plug-ins since 1.0: a package's names are known once it is imported. `import intercode` after
gymnasium does that, `import intercode.envs` in any order, and so does a name that says what to import:
`gymnasium.make("intercode:intercode/Bash-v1")`.
"""

from __future__ import annotations

import gymnasium

WORLDS = {
    "intercode/Bash-v1": "intercode.envs.bash:BashEnv",
    "intercode/SQL-v1": "intercode.envs.sql:SqlEnv",
    "intercode/SWE-v1": "intercode.envs.swe:SweEnv",
}
"""Name at gymnasium, and where the class is. An entry is only imported when an environment is made."""


def register_all() -> None:
    """Make all worlds known to gymnasium. Doing it twice is harmless.

    There is no `max_episode_steps`: a world counts its turns itself, since the last one is judged.
    """
    for name, place in WORLDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point=place)
