#!/bin/sh
# Tell the web shop to read its settings again.
kill -HUP "$(cat /shop/tmp/shop.pid)"
