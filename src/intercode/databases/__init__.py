"""WHERE queries run: a promise (`base`), and one file for each way of keeping it."""
