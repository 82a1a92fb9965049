#!/bin/bash
# Test each integration against the peer's real package, each in an environment of its own, since they cannot share one.
#   scripts/test_integrations.sh [PEER …]      PEER: a file of requirements/integrations; without one, all of them
# A first line `# python: 3.12` in that file says which Python the peer needs, and a line `# pip: torch==2.13.0` what pip
# installs first: from where it is configured to, since torch is built anew for each kind of machine. A peer whose Python or packages cannot be
# had here is skipped by name; a failing test fails the whole. Ends with a table: peer, result, seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=.venv/bin/uv table=() failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The interpreter that the peer needs, as a path; nothing where there is none.
python_of() {
    local version
    version=$(sed -n '1s/^# python: //p' "requirements/integrations/$1.txt")
    if [ -z "$version" ]; then echo "$PWD/.venv/bin/python"; else "$uv" python find --no-python-downloads "$version" 2>/dev/null || true; fi
}

from_pip() { sed -n 's/^# pip: //p' "requirements/integrations/$1.txt"; }

prepare() { # PEER: its environment in .venv/peers/PEER, made again when its requirements have changed
    local peer=$1 home=.venv/peers/$1 python
    if [ "$home/ready" -nt "requirements/integrations/$peer.txt" ] && [ "$home/ready" -nt pyproject.toml ]; then return; fi
    python=$(python_of "$peer")
    [ -n "$python" ] || { echo "no Python $(sed -n '1s/^# python: //p' "requirements/integrations/$peer.txt") here" >"$log"; return 1; }
    "$uv" venv --quiet --clear --python "$python" "$home" 2>"$log" &&
        { [ -z "$(from_pip "$peer")" ] || .venv/bin/python -m pip --python "$home/bin/python" install -q $(from_pip "$peer") 2>"$log"; } &&
        INTO=$home/bin/python scripts/install.sh --require-hashes --no-deps -r "requirements/integrations/$peer.txt" 2>"$log" &&
        INTO=$home/bin/python scripts/install.sh --no-deps --no-build-isolation -e . 2>"$log" && touch "$home/ready"
}

if [ "$(stat -f -c %T .)" = tmpfs ]; then
    echo "Integrations: skipped here, where all files are in memory: the peers' packages take gigabytes."
    exit 0
fi
shopt -s nullglob
[ $# -gt 0 ] || set -- requirements/integrations/*.txt
for peer; do
    peer=$(basename "$peer" .txt)
    began=$SECONDS
    if ! prepare "$peer"; then
        result="skipped: $(tail -1 "$log" | cut -c1-120)"
    elif .venv/peers/"$peer"/bin/python -m pytest -p no:cacheprovider -o asyncio_default_fixture_loop_scope=function \
        --confcutdir=tests/integrations "tests/integrations/$peer"; then
        result=passed
    else
        result=FAILED failed=1
    fi
    table+=("$(printf '%-12s %5d s  %s' "$peer" $((SECONDS - began)) "$result")")
done
printf '%s\n' "" "Integrations:" "${table[@]}"
exit "$failed"
