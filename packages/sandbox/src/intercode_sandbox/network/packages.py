"""Where this machine's own package managers look, for those in a session: addresses, without keys."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from configparser import ConfigParser, Error
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

_REGISTRY = re.compile(r"^\s*registry\s*=\s*(\S+)", re.MULTILINE)

PIP, PIP_MORE, UV, NPM = "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "NPM_CONFIG_REGISTRY"


def package_settings(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables by which pip, uv and npm are told of another index than their own."""
    home = Path(environ.get("HOME") or "/")
    pip = {**_pip_settings(home, environ), **{name: environ[name] for name in (PIP, PIP_MORE) if environ.get(name)}}
    found = {name: " ".join(_without_keys(value.split())) for name, value in pip.items()}
    found[UV] = next(iter(_without_keys([environ.get(UV) or found.get(PIP, "")])), "")
    named = environ.get(NPM) or environ.get(NPM.lower()) or _npm_registry((home / ".npmrc", Path("/etc/npmrc")))
    found[NPM] = next(iter(_without_keys([named])), "")
    return {name: value for name, value in found.items() if value}


def _without_keys(addresses: Iterable[str]) -> list[str]:
    """Return those of the web, without users and passwords; folders of this machine are in no session."""
    found = []
    for address in addresses:
        with suppress(ValueError):
            part = urlsplit(address)
            if part.scheme in ("http", "https") and part.hostname:
                found.append(part._replace(netloc=part.netloc.rpartition("@")[2], query="", fragment="").geturl())
    return found


def _pip_settings(home: Path, environ: Mapping[str, str]) -> dict[str, str]:
    own = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / "pip.conf"
    found = {}
    for path in (Path("/etc/pip.conf"), home / ".pip" / "pip.conf", own):
        settings = ConfigParser(interpolation=None, strict=False)
        try:
            settings.read(path)
        except (Error, UnicodeError):
            continue
        for key, name in (("index-url", PIP), ("extra-index-url", PIP_MORE)):
            if settings.has_option("global", key):
                found[name] = settings.get("global", key)
    return found


def _npm_registry(paths: Iterable[Path]) -> str:
    for path in paths:
        try:
            named = _REGISTRY.search(path.read_text("utf-8", "replace"))
        except OSError:
            continue
        if named:
            return named[1]
    return ""
