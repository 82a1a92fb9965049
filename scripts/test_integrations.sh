#!/bin/bash
# Test each integration against the peer's real package, each in an environment of its own, since they cannot share one.
#   scripts/test_integrations.sh [PEER …]      PEER: a file of requirements/integrations; without one, all of them
# A first line `# python: 3.12` in that file says which Python the peer needs, and a line `# pip: torch==2.13.0` what pip
# installs first: from where it is configured to, since torch is built anew for each kind of machine. A peer whose Python
# or packages cannot be had here is skipped by name; a failing test fails the whole. Two peers are tested at a time, as
# most of them wait. Ends with a table: peer, seconds, result.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=.venv/bin/uv

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
        INTO=$home/bin/python scripts/install.sh --no-deps --no-build-isolation -e packages/sandbox -e . -e packages/generate 2>"$log" && touch "$home/ready"
}

test_one() { # PEER: its tests; what they print goes to $results/PEER.txt, and its line of the table to $results/PEER.row
    local peer=$1 began=$SECONDS result log=$results/$1.log
    if ! prepare "$peer"; then
        result="skipped: $(tail -1 "$log" | cut -c1-120)"
    elif .venv/peers/"$peer"/bin/python -m pytest -p no:cacheprovider -o asyncio_default_fixture_loop_scope=function \
        --confcutdir=tests/integrations "tests/integrations/$peer" >"$results/$peer.txt" 2>&1; then
        result=passed
    else
        result=FAILED
    fi
    printf '%-12s %5d s  %s\n' "$peer" $((SECONDS - began)) "$result" | tee "$results/$peer.row"
}

if [ -n "${INTEGRATION_RESULTS:-}" ]; then # one of those that are started below
    results=$INTEGRATION_RESULTS
    test_one "$1"
    exit
fi
if [ "$(stat -f -c %T .)" = tmpfs ]; then
    echo "Integrations: skipped here, where all files are in memory: the peers' packages take gigabytes."
    exit 0
fi
shopt -s nullglob
[ $# -gt 0 ] || set -- requirements/integrations/*.txt
INTEGRATION_RESULTS=$(mktemp -d)
trap 'rm -rf "$INTEGRATION_RESULTS"' EXIT
export INTEGRATION_RESULTS
for peer; do basename "$peer" .txt; done | xargs -P 2 -n 1 "$0"
cd "$INTEGRATION_RESULTS"
for row in *.row; do if grep -q FAILED "$row"; then cat "${row%.row}.txt"; fi; done
printf '%s\n' "" "Integrations:"
cat -- *.row
! grep -q FAILED -- *.row
