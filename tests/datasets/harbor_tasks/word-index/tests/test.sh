#!/bin/sh
# A part of the reward for each text that is indexed as it should be.
passed=0
check() { [ "$(python3 /app/index.py "$1")" = "$2" ] && passed=$((passed + 1)); }
printf 'The sea\nthe land\nSea.\n' > /tmp/one
check /tmp/one 'land: 2
sea: 1,3
the: 1,2'
printf 'go, go!\n' > /tmp/two
check /tmp/two 'go: 1'
python3 -c "print($passed / 2)" > /logs/verifier/reward.txt
