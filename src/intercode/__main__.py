"""`python -m intercode` is the command line."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current directory: a stranger's modules may lie in it, under the names of ours

from intercode.cli.main import main

main()
