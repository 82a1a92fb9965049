"""Commands that this package adds to `intercode`."""
