#!/bin/bash
set -e
python3 "$(dirname "$0")/count.py" /app/access.log > /app/report.json
