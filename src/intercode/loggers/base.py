"""The promise of a logger."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from intercode.errors import UserError
from intercode.types import Trajectory
from intercode_sandbox.util.closing import Closeable


class Logger(Closeable):
    """Gets every episode of a run, and at the end its figures. Methods are called by one thread at a time.

    An exception of a logger never breaks a run: it is reported once, and the logger is left out from then on.
    """

    package: ClassVar[str] = ""
    """The package that it needs, which is an extra of the logger's name; "" for none."""

    def __init__(self, run: Path, settings: Mapping[str, Any]) -> None:
        """Begin to log a run.

        Args:
            run: The run's directory.
            settings: The run's settings, by name.

        Raises:
            UserError: If the logger cannot log here, as when its package is missing.
        """
        if self.package and find_spec(self.package.partition(".")[0]) is None:
            name = type(self).__name__.removesuffix("Logger").lower()
            raise UserError(f"--log {name} needs a package: pip install 'intercode-env[{name}]'")
        self.run, self.settings = run, settings
        self.set_up()

    def set_up(self) -> None:
        """Open what is written to."""

    @abstractmethod
    def on_episode(self, number: int, episode: Trajectory, figures: Mapping[str, float]) -> None:
        """An episode was stored.

        Args:
            number: Its number, from 1, since the run was started or resumed.
            episode: The episode.
            figures: What can be plotted of it, by name.
        """

    @abstractmethod
    def on_end(self, figures: Mapping[str, float]) -> None:
        """The run is over, or was stopped.

        Args:
            figures: Those of `intercode report`, over all that is stored.
        """

    def close(self) -> None:
        """Close what is written to."""
