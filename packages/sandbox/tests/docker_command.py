"""What tests ask for that need the command of an engine, and perhaps no engine that answers it."""

from __future__ import annotations

import shutil

import pytest

from intercode_sandbox.engine.command import PROGRAMS

needs_command = pytest.mark.skipif(
    not any(map(shutil.which, PROGRAMS)), reason="no command of a container engine is installed: docker or podman"
)
