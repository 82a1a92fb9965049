#!/bin/bash
sed -i 's/ls -l /ls -lA /' "$COUNTER"
