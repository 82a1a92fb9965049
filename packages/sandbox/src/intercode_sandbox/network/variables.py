"""What the programs of a session with a network are told of it: where the proxy is, and whom to trust.

Tools take this from environment variables. A machine whose own traffic is signed by an authority of its own says so in
SSL_CERT_FILE or the like: then sessions get that file's content, at `BUNDLE`, and nothing else of the machine's.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from intercode_sandbox.errors import SandboxError
from intercode_sandbox.network.packages import package_settings

PORT = 61080
"""Of the proxy on the session's loopback device: above those that the kernel gives away."""

BUNDLE = "/dev/intercode/ca-certificates.crt"
"""Where the authorities are: in memory, and not among the files that a session changes."""

LONGEST_BUNDLE = 900 << 10

UPSTREAM = ("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
"""Variables by which this machine's own programs are told of a proxy."""

HOSTS_BUNDLE = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT")
"""Variables of this machine that name a whole bundle; the first that does so counts."""

SESSIONS_BUNDLE = (
    *HOSTS_BUNDLE,
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "NPM_CONFIG_CAFILE",
    "CARGO_HTTP_CAINFO",
)


def network_variables(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment variables of commands in a session that has a network."""
    proxy, own = f"http://127.0.0.1:{PORT}", "localhost,127.0.0.1,::1"
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    variables = {**dict.fromkeys(names, proxy), "no_proxy": own, "NO_PROXY": own}
    if bundle_of_machine(environ) is not None:
        variables |= dict.fromkeys(SESSIONS_BUNDLE, BUNDLE)
    return {**variables, **package_settings(environ)}


def bundle_of_machine(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the file of authorities that this machine's own programs are told to trust; None where they are not."""
    named = (Path(environ[name]) for name in HOSTS_BUNDLE if environ.get(name))
    return next((path for path in named if path.is_file()), None)


def read_bundle(path: Path) -> bytes:
    """Return the content of a file of authorities.

    Raises:
        SandboxError: If it cannot be read, or is too long for a session.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SandboxError(f"{path}, which this machine's programs are told to trust: {error.strerror}") from error
    if len(content) > LONGEST_BUNDLE:
        raise SandboxError(f"{path} has {len(content)} bytes: {LONGEST_BUNDLE} of authorities go into a session")
    return content
