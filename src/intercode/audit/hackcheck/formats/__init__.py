"""A report of hackcheck as files that other programs and other people read."""
