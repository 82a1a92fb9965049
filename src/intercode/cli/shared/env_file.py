"""Keys and addresses of providers in a file `.env`, as most tools read them."""

from __future__ import annotations

import os
import sys
from io import StringIO
from pathlib import Path

from intercode.errors import UserError
from intercode.util.regular_files import read_text


def load(key_env: str = "") -> None:
    """Take keys and addresses of providers from the `.env` of this directory, or of the nearest one above.

    What the environment has already stays as it is, and what is no provider's variable is not taken. An address counts
    only with a key from the same file: else a file that came with somebody's code could have your own key sent
    anywhere.

    Args:
        key_env: The variable with the key that is asked for in place of the provider's: no address counts then.

    Raises:
        UserError: For a file that cannot be read.
    """
    from dotenv import dotenv_values, find_dotenv

    from intercode.models.core import keys
    from intercode.models.core.providers import BY_LITELLM, PROVIDERS

    path = find_dotenv(usecwd=True)
    if not path:
        return
    try:
        text = StringIO(read_text(Path(path)))
        found = {name: value for name, value in dotenv_values(stream=text, interpolate=False).items() if value}
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"cannot read {path}: {error}") from error
    found = {name: value for name, value in found.items() if name not in os.environ}
    for provider in PROVIDERS.values():
        taken = {name: found[name] for name in provider.keys if name in found}
        os.environ.update(taken)
        if provider.url_variable in found:
            is_own = not (key_env or any(keys.find(name) for name in provider.keys if name not in taken))
            if taken and is_own:
                os.environ[provider.url_variable] = found[provider.url_variable]
            else:
                why = f"it needs a {provider.keys[0]} beside it, none from elsewhere, and no key_env"
                print(f"{path}: {provider.url_variable} is left out: {why}", file=sys.stderr)
    os.environ.update({name: found[name] for name in BY_LITELLM.values() if name in found})
