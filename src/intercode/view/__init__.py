"""A web page over runs: `intercode view`, and the same page with its data in one file."""
