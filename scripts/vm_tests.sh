#!/bin/bash
# What `make vm` keeps, in the machine that scripts/vm.sh made: the demo, what depends on kernel and control groups, as root
# and as an ordinary user. Under 15 minutes emulated on two quiet processors. With `all`: all of tests/security and the
# contract, and as the user also the docker sandbox on Podman without root, in hours.
#   scripts/vm_tests.sh [all | bench]     bench: reset, command and episode beside bare bash, as root and as the user
set -u
export INTERCODE_TEST_PATIENCE=${INTERCODE_TEST_PATIENCE:-10}
result=0
contract=tests/sandboxes/test_embedded_contract.py::TestEmbeddedSandbox # with whatever this kernel has for the upper layer
kept="tests/security/test_control_groups.py tests/security/test_disk.py tests/security/test_limits.py $contract"
except="not docker and not ordinary and not bomb_stays and not bomb_left" # the bombs' count waits for a fast machine
# what depends on neither, and would take a third of the time
except+=" and not gigabyte and not single_bytes and not inodes_fill and not without_a_group and not dead_hold and not two_looks"
demo=".venv/bin/intercode run --dataset starter --agent oracle --parallel 2 --limit 12" # all of it takes 6 minutes, each time
case ${1:-} in
    all) demo="make --silent demo" kept="tests/security $contract" except="not docker and not ordinary and not bomb_stays and not bomb_left" ;;
    bench) kept= ;;
esac

step() { # NAME COMMAND…: run it, and go on whatever comes of it
    local began=$SECONDS name=$1 status=0
    shift
    "$@" || status=$?
    [ "$status" = 0 ] || result=1
    echo "--- $name: status $status, $((SECONDS - began)) s"
}

as_root() { bash -c "$1"; }
for who in as_root as_user; do
    step "$who, doctor" $who ".venv/bin/intercode doctor"
    if [ "${1:-}" = bench ]; then
        step "$who, figures" $who ".venv/bin/python -m benchmarks --only upper --seconds 300"
        continue
    fi
    step "$who, demo" $who "$demo"
    step "$who, tests" $who "INTERCODE_TEST_PATIENCE=$INTERCODE_TEST_PATIENCE .venv/bin/python -m pytest -p no:cacheprovider \
        -n 2 --timeout=3000 -o faulthandler_timeout=0 $kept -k '$except'"
done
if [ "${1:-}" = all ]; then
    # shellcheck disable=SC2016
    step "as_user, Podman without root" as_user 'export DOCKER_HOST=unix://$XDG_RUNTIME_DIR/engine
        podman system service --time 0 "$DOCKER_HOST" & trap "kill $!" EXIT; until [ -S "${DOCKER_HOST#unix://}" ]; do sleep 1; done
        INTERCODE_TEST_PATIENCE=10 .venv/bin/python -m pytest -p no:cacheprovider --timeout=3000 -o faulthandler_timeout=0 \
            tests/sandboxes/test_docker_contract.py'
fi
exit "$result"
