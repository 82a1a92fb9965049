#!/bin/sh
# Make sure of what the distribution has to give: bubblewrap, a C compiler, mmdebstrap, new id maps, venv; for the tests
# (a second argument) the programs of a MariaDB server and its client, without the service, Docker's, OpenSSL, which makes
# certificates, and the keys of Debian's archive.
# Installs it as root or with sudo; else stops with the one line to run.
set -eu
python=${1:-python3}
PATH=$PATH:/usr/sbin:/sbin # `su` and an ordinary user's shell may have none of the folders of system programs

fail() { printf '%s\n' "$*" >&2; exit 1; }

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Python 3.11 or later is needed as '$python'; name another with: make PYTHON=python3.12 …"

missing=
want() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
want bwrap bubblewrap
want git git
want tar tar
want cc gcc
want newuidmap uidmap
want mmdebstrap mmdebstrap
if [ "${2:-}" = tests ]; then
    # shellcheck source=/dev/null
    version=$(. /etc/os-release && [ "${VERSION_CODENAME:-}" = jammy ] && echo -10.6) || true # in Ubuntu 22.04's names
    want mariadbd "mariadb-server-core$version"
    want my_print_defaults "mariadb-client-core$version" # mariadb-install-db calls it
    want openssl openssl
    # A browser looks at the page of `intercode view`. Ubuntu's package holds none, but a link to a snap: tests that need
    # one are skipped there.
    [ "$(. /etc/os-release && echo "${ID:-}")" != debian ] || want chromium chromium
    # images of Debian are built also on Ubuntu
    [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || missing="$missing debian-archive-keyring"
    # A Docker engine is started by tests that need one, on a socket of its own; only root can, so only root installs it.
    [ "$(id -u)" != 0 ] || want dockerd docker.io
fi
printf 'int main(void){return 0;}' | cc -xc -static -o /dev/null - 2>/dev/null || missing="$missing libc6-dev"
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
[ -z "$missing" ] && exit 0

install="apt-get install -y --no-install-recommends$missing"
command -v apt-get >/dev/null 2>&1 || fail "Please install, by your distribution's means:$missing"
if [ "$(id -u)" = 0 ]; then as=; elif sudo -n true 2>/dev/null; then as=sudo; else
    fail "Please run: sudo $install"
fi
echo "installing$missing …"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
$as apt-get update -q >"$log" 2>&1 || true
# shellcheck disable=SC2086
$as env DEBIAN_FRONTEND=noninteractive $install >>"$log" 2>&1 || { tail -5 "$log" >&2; rm -f "$log"; fail "This did not work: $install"; }
rm -f "$log"
