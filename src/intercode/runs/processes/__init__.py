"""Episodes played in several processes: what travels between them, and both sides of it."""
