"""What dead programs have left at an engine that only its command reaches: containers, by their label."""

from __future__ import annotations

from intercode.sandboxes.docker_cli.engine import CommandEngine
from intercode.sandboxes.docker_cli.process_identity import is_dead


def find_leftovers(engine: CommandEngine) -> list[str]:
    """Ids of the containers whose owner is dead.

    Raises:
        SandboxError: If the engine does not list them.
    """
    return [container for container, owner in engine.owners().items() if is_dead(owner)]


def clean(engine: CommandEngine) -> list[str]:
    """Remove them; what was removed.

    Raises:
        SandboxError: If the engine does not.
    """
    found = find_leftovers(engine)
    for container in found:
        engine.remove(container)
    return found
