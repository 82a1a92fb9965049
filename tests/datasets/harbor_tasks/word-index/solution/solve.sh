#!/bin/bash
cat > "$TARGET" <<'EOF'
import re
import sys

lines = {}
for number, line in enumerate(open(sys.argv[1]), 1):
    for word in re.findall("[a-z]+", line.lower()):
        if number not in lines.setdefault(word, []):
            lines[word].append(number)
for word in sorted(lines):
    print(f"{word}: {','.join(map(str, lines[word]))}")
EOF
