#!/bin/bash
# Run what the README tells a newcomer to run: `make demo` as root and as an ordinary user, then `make test-all` as root.
# For machines that are thrown away, since it installs packages and adds a user: scripts/bare_machine.sh makes one.
set -euo pipefail
cd "$(dirname "$0")/.."
user=newcomer
home=/home/$user

step() { printf '\n== %s\n' "$*"; }

as_user() { # a command line, in the user's own copy of this folder
    setpriv --reuid $user --regid $user --init-groups env HOME=$home bash -o pipefail -c "cd $home/intercode && $1"
}

useradd --create-home --shell /bin/bash $user
cp -r . $home/intercode
[ ! -d ~/.config/pip ] || { mkdir $home/.config && cp -r ~/.config/pip $home/.config; }
chown -R $user: $home

step "make demo, by an ordinary user, before anything is installed: says what to run"
as_user 'make demo 2>&1 | tee told' && { echo "that should have failed" >&2; exit 1; }
as_user 'grep "^Please run: sudo apt-get install" told >/dev/null'
step "make demo, by root, who installs it"
make demo
step "make demo, by an ordinary user"
as_user 'make demo'
step "make test, and all other tests, by root"
make test-all
