"""The contract of sandboxes, which a sandbox of your own inherits as its tests, and engines to test with."""
