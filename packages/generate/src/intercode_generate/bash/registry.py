"""Where the families of Bash tasks register: `@family("phrasing", …)` above a function of `families/`."""

from __future__ import annotations

from intercode_generate.bash.world import BashWorld
from intercode_generate.family import Families

FAMILIES = Families[BashWorld]("intercode_generate.bash.families")

family = FAMILIES.add
