import collections
import json
import sys

with open(sys.argv[1]) as file:
    print(json.dumps(collections.Counter(line.split()[-1] for line in file)))
