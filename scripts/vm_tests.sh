#!/bin/bash
# What `make vm` keeps, in the machine that scripts/vm.sh made: the demo, what depends on kernel and control groups, as root
# and as an ordinary user. Under 15 minutes emulated on two quiet processors. With `all`: all of packages/sandbox/tests/security and the
# contract, and as the user also the docker sandbox on engines without root, in hours.
#   scripts/vm_tests.sh [all | bench | engines [FILTER] | docker [FILTER] | podman [FILTER]]
#                       bench: reset, command and episode beside bare bash, as root and as the user
#                       engines: the docker sandbox's contract on Docker and Podman without root alone, or on one of
#                                them; FILTER as pytest's -k
set -u
export INTERCODE_TEST_PATIENCE=${INTERCODE_TEST_PATIENCE:-10}
result=0
contract=packages/sandbox/tests/test_embedded_contract.py::TestEmbeddedSandbox # with whatever this kernel has for the upper layer
kept="packages/sandbox/tests/security/test_control_groups.py packages/sandbox/tests/security/test_disk.py packages/sandbox/tests/security/test_limits.py $contract"
except="not docker and not ordinary and not bomb_stays and not bomb_left" # the bombs' count waits for a fast machine
# what depends on neither, and would take a third of the time
except+=" and not gigabyte and not single_bytes and not inodes_fill and not without_a_group and not dead_hold and not two_looks"
demo=".venv/bin/intercode run --dataset starter --agent oracle --parallel 2 --limit 12" # all of it takes 6 minutes, each time
case ${1:-} in
    all) demo="make --silent demo" kept="packages/sandbox/tests/security $contract" except="not docker and not ordinary and not bomb_stays and not bomb_left" ;;
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
# Docker or Podman of the ordinary user's own, without root anywhere, and the docker sandbox's contract on it.
test_engine_without_root() { # NAME, the command that serves at $DOCKER_HOST, FILTER
    step "as_user, $1 without root" as_user "export INTERCODE_TEST_PATIENCE=$INTERCODE_TEST_PATIENCE DOCKER_HOST=unix://\$XDG_RUNTIME_DIR/test-$1.sock
        $2 >/tmp/$1.log 2>&1 & trap 'kill \$!; wait' EXIT
        for _ in \$(seq 180); do [ -S \${DOCKER_HOST#unix://} ] && break; sleep 1; done
        [ -S \${DOCKER_HOST#unix://} ] || { tail -n 20 /tmp/$1.log; exit 1; }
        .venv/bin/python -m pytest -p no:cacheprovider -n 0 --timeout=3000 -o faulthandler_timeout=0 packages/sandbox/tests/test_docker_contract.py -k '$3'"
}

if [[ ${1:-} != @(engines|docker|podman) ]]; then
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
fi
if [[ ${1:-} = @(all|engines|docker) ]]; then
    test_engine_without_root docker "/usr/share/docker.io/contrib/dockerd-rootless.sh --host \$DOCKER_HOST --exec-opt native.cgroupdriver=systemd" "${2:-}"
fi
if [[ ${1:-} = @(all|engines|podman) ]]; then
    test_engine_without_root podman "podman system service --time 0 \$DOCKER_HOST" "${2:-}"
fi
exit "$result"
