"""`python -m intercode` is the command line."""

from intercode.cli.main import main

main()
