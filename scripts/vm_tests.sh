#!/bin/bash
# What `make vm` keeps, in the machine that scripts/vm.sh made: the demo, the attacks on limits and on what is left, and the
# sandbox's contract, as root and as an ordinary user. Under 15 minutes emulated. With `all`: all of tests/security and the
# rootless engines too, in hours.
set -u
result=0
contract=tests/sandboxes/test_embedded_contract.py::TestEmbeddedSandbox # with whatever this kernel has for the upper layer
kept="tests/security/test_disk.py tests/security/test_isolation.py tests/security/test_limits.py $contract"
except="not docker and not bomb and not ordinary" # the bombs' count waits for a fast machine
if [ "${1:-}" = all ]; then
    kept="tests/security $contract tests/sandboxes/test_docker_contract.py"
    except="not ordinary"
fi

step() { # NAME COMMAND…: run it, and go on whatever comes of it
    local began=$SECONDS name=$1 status=0
    shift
    "$@" || status=$?
    [ "$status" = 0 ] || result=1
    echo "--- $name: status $status, $((SECONDS - began)) s"
}

for who in as_root as_user; do
    as_root() { bash -c "$1"; }
    step "$who, doctor" $who ".venv/bin/intercode doctor"
    step "$who, demo" $who "make --silent demo"
    step "$who, tests" $who ".venv/bin/python -m pytest -p no:cacheprovider -n 2 $kept -k '$except'"
done
exit "$result"
