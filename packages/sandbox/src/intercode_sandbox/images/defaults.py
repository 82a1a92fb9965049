"""What our images have in common: as the containers of the published benchmark had it, where it matters."""

from __future__ import annotations

from types import MappingProxyType

ENV = MappingProxyType({"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"})
"""The whole environment of a command: no locale, so the POSIX one."""

HOSTNAME = "intercode"

HOSTS = f"127.0.0.1\tlocalhost\n127.0.1.1\t{HOSTNAME}\n::1\tlocalhost ip6-localhost ip6-loopback\n"
"""/etc/hosts: names for the loopback device, which is all the network there is."""
