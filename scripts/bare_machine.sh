#!/bin/bash
# Run the README's commands, or one of your own, on a bare machine that this script makes and removes again: a minimal
# Debian 12 with git, make, Python and certificates, on a tmpfs, in mount and process namespaces of its own.
#
#   scripts/bare_machine.sh                 scripts/readme_commands.sh: make demo as root and as a user, make test-all
#   scripts/bare_machine.sh 'COMMAND …'     that command, as root, in a clone of what is committed here
#   scripts/bare_machine.sh --check         say whether such a machine can be made here; make the base that it starts from
#
# Needs root, mmdebstrap and about 10 GB of memory. The published data (INTERCODE_DATA) is shown in it read-only. How this
# machine reaches its package archives (proxy, mirror, certificates) is copied when the machine is made, and nothing else.
set -euo pipefail

SUITE=bookworm
PACKAGES=git,make,python3,python3-venv,ca-certificates
SETTINGS='PIP_|UV_|OPENBLAS_|INTERCODE_MIRROR=|CI=|JOBS=|[a-zA-Z]+_(proxy|PROXY)='
PROJECT=$(realpath "$(dirname "$0")/..")
DATA=${INTERCODE_DATA:-$PROJECT/../shared/data}
FOLDER=${XDG_CACHE_HOME:-$HOME/.cache}/intercode-bare
BASE=$FOLDER/$SUITE.tar
ROOT=$FOLDER/root # where the machine is mounted, which only its own processes see

fail() { printf 'bare_machine: %s\n' "$*" >&2; exit 1; }

check() {
    [ "$(id -u)" = 0 ] || fail "only root can make a bare machine"
    command -v mmdebstrap >/dev/null || fail "mmdebstrap is not installed: apt-get install mmdebstrap"
    mkdir -p "$ROOT"
    unshare --mount --pid --fork --propagation private mount -t tmpfs none "$ROOT" ||
        fail "no file system can be mounted here"
    [ -n "$(find "$BASE" -mtime -7 2>/dev/null)" ] || make_base
}

make_base() {
    local new=$BASE.$$.tar
    mmdebstrap --quiet --variant=minbase --include="$PACKAGES" "$SUITE" "$new" ${INTERCODE_MIRROR:+"$INTERCODE_MIRROR"} ||
        { rm -f "$new"; fail "mmdebstrap could not make Debian $SUITE"; }
    mv "$new" "$BASE"
}

make_machine() { # in the new namespaces
    mount -t tmpfs -o size=80%,mode=755 bare "$ROOT"
    tar -C "$ROOT" --numeric-owner -xf "$BASE"
    copy_settings
    git clone --quiet "$PROJECT" "$ROOT/src/intercode"
    if [ -d "$DATA" ]; then
        mkdir -p "$ROOT/src/shared/data"
        mount --bind "$DATA" "$ROOT/src/shared/data"
        mount -o remount,bind,ro "$ROOT/src/shared/data"
    fi
}

copy_settings() {
    local path
    for path in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/xdg/pip /etc/ssl/certs /usr/local/share/ca-certificates \
        /etc/apt/auth.conf.d "$HOME/.config/pip"; do
        [ ! -e "$path" ] || { rm -rf "${ROOT:?}$path"; mkdir -p "$ROOT${path%/*}"; cp -rH "$path" "$ROOT$path"; }
    done
    ! command -v apt-config >/dev/null || apt-config dump Acquire >"$ROOT/etc/apt/apt.conf.d/90-this-machine"
    if [ -d "${PIP_FIND_LINKS:-}" ]; then
        mkdir -p "$ROOT$PIP_FIND_LINKS"
        mount --bind "$PIP_FIND_LINKS" "$ROOT$PIP_FIND_LINKS"
    fi
}

enter() { # by pivot_root: after chroot the kernel would refuse user namespaces, which the sandbox is made of
    cd "$ROOT"
    mount -t proc proc proc
    mount --rbind /dev dev
    mount --rbind /sys sys
    mount -t tmpfs -o mode=1777 tmpfs tmp
    mount -t tmpfs tmpfs run
    mkdir .old
    pivot_root . .old
    cd /
    umount -l .old
    rmdir .old
}

run_inside() { # with nothing of this machine's environment but what it takes to reach package archives, and CI's wishes
    local kept
    mapfile -t kept < <(env | grep -E "^($SETTINGS)")
    cd /src/intercode
    env -i "${kept[@]}" HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        TERM="${TERM:-dumb}" bash -c "$1" </dev/null
}

case ${1:-} in
    --check) check ;;
    --inside)
        shift
        make_machine
        enter
        run_inside "${*:-scripts/readme_commands.sh}"
        ;;
    -*) fail "$1: no such option (see the top of scripts/bare_machine.sh; a command is one argument)" ;;
    *)
        check
        exec unshare --mount --pid --fork --kill-child --propagation private "$0" --inside "$@"
        ;;
esac
