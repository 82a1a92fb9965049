#!/bin/sh
# Make sure of what the distribution has to give: bubblewrap, a C compiler, mmdebstrap, new id maps, venv; for the tests
# (a second argument) the programs of a MariaDB server and its client, without the service, Docker's, OpenSSL, which makes
# certificates, and the keys of Debian's archive.
# Installs it as root or with sudo (doas on Alpine); else stops with the one line to run. Packages go by Debian's names
# here; packages/sandbox/src/intercode_sandbox/util/system_packages.py knows what apt, dnf, pacman and apk call them, and what there is none of.
set -eu
python=${1:-python3}
PATH=$PATH:/usr/sbin:/sbin:/usr/libexec # `su` and an ordinary user's shell may have none of the folders of system programs

fail() { printf '%s\n' "$*" >&2; exit 1; }

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Python 3.11 or later is needed as '$python'; name another with: make PYTHON=python3.12 …"

missing=
want() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
want bwrap bubblewrap
want git git
want tar tar
want bash bash
want cc gcc
want setpriv util-linux
want newuidmap uidmap
want mmdebstrap mmdebstrap
if [ "${2:-}" = tests ]; then
    want mariadbd mariadb-server-core
    want my_print_defaults mariadb-client-core # mariadb-install-db calls it
    want openssl openssl
    # A browser looks at the page of `intercode view`. Ubuntu's package holds none, but a link to a snap: tests that need
    # one are skipped there.
    # shellcheck source=/dev/null
    case $(. /etc/os-release && echo "${ID:-} ${ID_LIKE:-}") in *ubuntu*) ;; *) want chromium chromium ;; esac
    # images of Debian are built also on Ubuntu
    [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || missing="$missing debian-archive-keyring"
    # A Docker engine is started by tests that need one, on a socket of its own; only root can, so only root installs it.
    # Root also installs the shells in which completion is tested; nobody else is bothered with them.
    [ "$(id -u)" != 0 ] || { want dockerd docker.io; want zsh zsh; want fish fish; }
    # Since Debian 13 the command is a package of its own.
    [ "$(id -u)" != 0 ] || ! apt-cache show docker-cli >/dev/null 2>&1 || want docker docker-cli
fi
printf 'int main(void){return 0;}' | cc -xc -static -o /dev/null - 2>/dev/null || missing="$missing libc6-dev"
"$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
[ -z "$missing" ] && exit 0

# -P: beside that file is a module called `types`, which must not stand for Python's
# shellcheck disable=SC2086
commands=$("$python" -P "$(dirname "$0")/../packages/sandbox/src/intercode_sandbox/util/system_packages.py" $missing) ||
    fail "Please install, by your distribution's means:$missing"
become_root=$(echo "$commands" | sed -n 1p)
install=$(echo "$commands" | sed -n 2p)
[ -n "$install" ] || exit 0 # the distribution has no package of what is missing: `intercode doctor` says what that costs
if [ "$(id -u)" = 0 ]; then as=; elif "$become_root" -n true 2>/dev/null; then as=$become_root; else
    fail "Please run: $become_root $install"
fi
echo "$install …"
log=$(mktemp)
case $install in apt-get*) $as apt-get update -q >"$log" 2>&1 || true ;; esac
# shellcheck disable=SC2086
$as env DEBIAN_FRONTEND=noninteractive $install >>"$log" 2>&1 || { tail -5 "$log" >&2; rm -f "$log"; fail "This did not work: $install"; }
rm -f "$log"
