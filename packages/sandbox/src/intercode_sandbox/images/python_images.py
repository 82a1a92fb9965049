"""Python's container images by their tags, made from archives: `python:3.13-slim-bookworm` and the like."""

from __future__ import annotations

import re

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.container_base import base_layers
from intercode_sandbox.images.container_layers import distribution_image
from intercode_sandbox.images.defaults import ENV, HOSTNAME
from intercode_sandbox.images.image import Image
from intercode_sandbox.images.python_layer import RELEASES, PythonLayer
from intercode_sandbox.util.operating_system import is_linux

SLIM = ("ca-certificates", "netbase", "tzdata")
FULL = (
    *SLIM,
    *("autoconf", "automake", "bzip2", "curl", "file", "g++", "gcc", "git", "gnupg", "imagemagick", "libtool"),
    *("libbz2-dev", "libcurl4-openssl-dev", "libffi-dev", "liblzma-dev", "libreadline-dev", "libsqlite3-dev"),
    *("libssl-dev", "libxml2-dev", "libxslt1-dev", "libyaml-dev", "make", "openssh-client", "patch", "procps"),
    *("unzip", "wget", "xz-utils", "zlib1g-dev"),
)
"""What the slim images hold, and most of what the others (on buildpack-deps) hold beside."""

SUITE = "trixie"
"""What the images stand on whose tag names no suite, as of November 2026."""

TAG = re.compile(r"(?P<version>3\.\d+|3|latest|)(?:\.\d+)?(?:-?(?P<slim>slim))?(?:-?(?P<suite>[a-z]+))?")


def python(tag: str = "") -> Image:
    """Return the image that Python's container image with *tag* has.

    The last number of a version plays no part: it is the one that the archive has.

    Raises:
        ImageError: For a tag that no archive can stand in for.
    """
    if not is_linux():
        return distribution_image(f"python:{tag}", f"python:{tag or 'latest'}", ())
    found = TAG.fullmatch(tag)
    if found is None or found["suite"] in ("alpine", "windowsservercore", "nanoserver"):
        raise ImageError(
            f"no archive has python:{tag}; there are versions {', '.join(RELEASES)}, slim or not, on Debian"
        )
    newest = max(RELEASES, key=lambda version: int(version.partition(".")[2]))
    version = found["version"] if "." in found["version"] else newest
    own = SLIM if found["slim"] else FULL
    suite = found["suite"] or SUITE
    layers = (*base_layers("debian", suite, own), PythonLayer(version, base=suite))
    return Image(f"python:{tag}" if tag else "python", layers, ENV, HOSTNAME)
