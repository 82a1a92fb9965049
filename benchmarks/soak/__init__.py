"""A soak: all worlds at once, for as long as one likes, while what they stand on fails."""
