"""A keyring in a file, as a back end of the keyring package: named by PYTHON_KEYRING_BACKEND."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend


class FileKeyring(KeyringBackend):  # type: ignore[misc]  # mypy does not follow it where keyring has no types
    """Keeps passwords in the file that KEYRING_FILE names."""

    priority = 1

    def get_password(self, service: str, username: str) -> str | None:
        found: str | None = self._read().get(f"{service}/{username}")
        return found

    def set_password(self, service: str, username: str, password: str) -> None:
        self._path.write_text(json.dumps({**self._read(), f"{service}/{username}": password}))

    @property
    def _path(self) -> Path:
        return Path(os.environ["KEYRING_FILE"])

    def _read(self) -> dict[str, str]:
        return json.loads(self._path.read_text()) if self._path.exists() else {}
