#!/bin/sh
# Orders of a month by status. TODO: by city as well
month=${1:?which month, like 2024-02}
tail -n +2 "/shop/orders/$month.csv" | cut -d, -f7 | sort | uniq -c
