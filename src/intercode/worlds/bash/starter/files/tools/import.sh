#!/bin/bash
# Take new orders from the web shop. --all: from the beginning.
. /shop/tools/common.sh
log "import started"
fetch_orders "$@"
