"""Where the families of Bash tasks register: `@family("phrasing", …)` above a function of `families/`."""

from __future__ import annotations

from intercode.generate.bash.world import BashWorld
from intercode.generate.family import Families

FAMILIES = Families[BashWorld]("intercode.generate.bash.families")

family = FAMILIES.add
