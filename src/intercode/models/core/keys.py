"""Keys: from the environment or the system's keyring, never from a command line, never into a file or a message."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import reduce
from importlib.util import find_spec

from intercode.errors import UserError

HIDDEN = "[key]"
SERVICE = "intercode"
"""What keys are filed under in the keyring: `keyring set intercode OPENAI_API_KEY`."""

KEYS = re.compile(r"(.*[_-])?(api[_-]?key|secret|password|authorization|(access|auth|bearer)[_-]token)", re.IGNORECASE)
"""How a key is called, wherever that is."""

SHORT = ("key", "token")
"""What else an option is called that is a key."""

TEXT_IN_JSON = re.compile(r'"([^"\\]*)"\s*:\s*"')
"""The name of a text in a JSON object."""

LONG_NAME = 16
"""Characters from which on small letters with digits among them are taken for a key, and not for a variable's name."""

SHORTEST = 8
"""Characters from which on a key is hidden wherever it turns up: shorter ones, such as EMPTY, are no secrets."""


def find(name: str) -> str:
    """Return the key called *name* (of an environment variable), "" where there is none in environment and keyring.

    Blanks and line ends around it, which files leave there, are no part of it.

    Raises:
        UserError: For what cannot be a key: it would go wrong where it is sent, in messages that hold it in another
            spelling.
    """
    key = (os.environ.get(name) or _in_keyring(name)).strip()
    if not (key.isascii() and key.isprintable()):
        raise UserError(f"what is in {name} is not a key: it holds a line break, an accent or the like")
    return key


def missing(name: str, way_out: str = "") -> str:
    """Return what to say where the key called *name* is not there; *way_out* is another one."""
    said = (
        f"there is no key in {name}: export {name}=…, write it into a file .env here, or where the keyring package is, "
        f"keyring set {SERVICE} {name}"
    )
    return f"{said} ({way_out})" if way_out else said


def hide(text: str, key: str) -> str:
    """Return *text* without *key*."""
    return text.replace(key, HIDDEN) if len(key) >= SHORTEST else text


def hide_all(text: str, key: str) -> str:
    """*text* without *key*, and without the value of any variable of the environment that is named as keys are."""
    named = (value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN", "_SECRET")))
    return reduce(hide, (key, *named), text)


def refuse_as_option(options: Mapping[str, str]) -> None:
    """Refuse a key that was given as an option, as a part of one's JSON, or in place of its variable's name.

    Raises:
        UserError: For a key among *options*: they are written down.
    """
    for name, value in options.items():
        if name == "key_env" and value and _may_be_key(value):
            raise UserError(
                "key_env is the name of the variable (or keyring entry) that holds the key, and what was given looks "
                "like the key itself: say key_env=MY_KEY, with the key in MY_KEY"
            )
        last = name.rpartition(".")[2].lower()
        if last in SHORT or any(map(KEYS.fullmatch, (last, *TEXT_IN_JSON.findall(value)))):
            raise UserError(
                f"a key cannot be an option ({name}): options are written into the run's manifest. Put it into the "
                "environment (OPENAI_API_KEY, or a variable named by key_env), or into the keyring: "
                f"keyring set {SERVICE} NAME"
            )


def _may_be_key(name: str) -> bool:
    """Return whether *name*, of a variable or keyring entry that holds a key, may be one instead."""
    return len(name) >= LONG_NAME and any(map(str.islower, name)) and any(map(str.isdigit, name))


def _in_keyring(name: str) -> str:
    if find_spec("keyring") is None:
        return ""
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(SERVICE, name) or ""
    except KeyringError:  # a machine without one: nothing is in it
        return ""
