import collections
import json
import sys

print(json.dumps(collections.Counter(line.split()[-1] for line in open(sys.argv[1]))))
