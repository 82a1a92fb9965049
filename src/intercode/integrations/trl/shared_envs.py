"""Environments that share what they run on, and are closed together."""

from __future__ import annotations

import threading
from os import PathLike
from types import TracebackType
from typing import Any, Self

from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.env.make import make


class SharedEnvs:
    """Makes environments of one data set, all on the sandbox or the database of the first.

    Until the first one is made it can be pickled, so that another process makes them. *dataset* and *options* are those
    of `intercode.make`.
    """

    def __init__(self, dataset: str | PathLike[str] | Dataset | None, options: dict[str, Any]) -> None:
        self._dataset, self._options = dataset, options
        self._envs: list[Env] = []
        self._lock = threading.Lock()

    def make(self) -> Env:
        """Return another environment. Raises as `intercode.make` does."""
        with self._lock:
            shared = self._shared_backend(self._envs[0]) if self._envs else {}
            dataset = self._envs[0].dataset if self._envs else self._dataset
            self._envs.append(make(dataset, **(self._options | shared)))
            return self._envs[-1]

    def first(self) -> Env:
        """Return the first one, made now unless it is there."""
        if not self._envs:
            self.make()
        return self._envs[0]

    def close(self) -> None:
        """Close all of them, the first last. Closing twice is harmless."""
        with self._lock:
            while self._envs:
                self._envs.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"_dataset": self._dataset, "_options": self._options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        SharedEnvs.__init__(self, state["_dataset"], state["_options"])

    @staticmethod
    def _shared_backend(env: Env) -> dict[str, Any]:
        name = "sandbox" if env.needs_sandbox else "database"
        return {name: getattr(env, name)}
