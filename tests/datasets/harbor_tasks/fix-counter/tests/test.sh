#!/bin/bash
# Two rewards by name: what was there before still works, and the fault is mended.
folder=$(mktemp -d)
touch "$folder/a" "$folder/b"
mkdir "$folder/sub"
plain=$([ "$("$COUNTER" "$folder")" = 2 ] && echo 1 || echo 0)
touch "$folder/.hidden"
hidden=$([ "$("$COUNTER" "$folder")" = "$CASES" ] && [ "$LIMIT" = 10 ] && echo 1 || echo 0)
echo "{\"reward\": $((plain * hidden)), \"plain\": $plain, \"hidden\": $hidden}" > /logs/verifier/reward.json
