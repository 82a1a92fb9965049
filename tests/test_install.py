"""`scripts/install.sh` behind a proxy whose certificate only this machine knows: uv trusts what pip trusts."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
SYSTEM = Path("/etc/ssl/certs/ca-certificates.crt")
SETTINGS = ("PIP_", "UV_", "SSL_", "REQUESTS_", "CURL_")


class EmptyIndex(BaseHTTPRequestHandler):
    """An index of packages that has none."""

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *values: object) -> None:
        pass


@dataclass(frozen=True)
class Registry:
    """Where it listens, and the certificate that it shows."""

    url: str
    certificate: Path


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    if not (REPOSITORY / ".venv/bin/uv").exists() or shutil.which("openssl") is None:
        pytest.skip("needs what `make test` sets up: .venv with uv, and openssl")
    folder = tmp_path_factory.mktemp("registry")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    make += [
        "-addext",
        "subjectAltName=DNS:localhost",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
        "-keyout",
        str(key),
        "-out",
        str(certificate),
    ]
    subprocess.run(make, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ThreadingHTTPServer(("127.0.0.1", 0), EmptyIndex) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Registry(f"https://localhost:{server.server_address[1]}/simple", certificate)
        server.shutdown()
        thread.join()


def output_of(registry: Registry, *before: str, **settings: object) -> str:
    """What is said of a package that no registry has."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith(SETTINGS)}
    environment |= {"PIP_CONFIG_FILE": os.devnull, "UV_NO_CACHE": "1", **{k: str(v) for k, v in settings.items()}}
    command = [*before, "scripts/install.sh", "--index-url", registry.url, "no-package-is-called-this"]
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    return done.stderr


NOT_FOUND = "no-package-is-called-this was not found in the package registry"


@pytest.mark.parametrize("name", ["PIP_CERT", "SSL_CERT_FILE"])
def test_a_certificate_that_pip_is_told_of_is_trusted(registry: Registry, name: str) -> None:
    assert NOT_FOUND in output_of(registry, **{name: registry.certificate})


def test_a_certificate_of_pips_settings_is_trusted(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_text(f"[global]\ncert = {registry.certificate}\n")
    assert NOT_FOUND in output_of(registry, PIP_CONFIG_FILE=tmp_path / "pip.conf")


@pytest.mark.skipif(os.geteuid() != 0 or not SYSTEM.exists(), reason="only root can mount other system certificates")
def test_a_certificate_of_the_system_is_trusted(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "all").write_text(SYSTEM.read_text() + registry.certificate.read_text())
    mounted = f'mount --bind {tmp_path}/all {SYSTEM} && exec "$@"'
    assert NOT_FOUND in output_of(registry, "unshare", "--mount", "--propagation", "private", "sh", "-c", mounted, "sh")


def test_of_an_unknown_certificate_the_way_out_is_said(registry: Registry) -> None:
    said = output_of(registry)
    assert NOT_FOUND not in said
    assert "certificate" in said.partition("Behind a proxy?")[0], "uv's own words come first"
    assert "update-ca-certificates" in said
    assert "SSL_CERT_FILE" in said
