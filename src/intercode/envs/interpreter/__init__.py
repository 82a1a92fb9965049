"""A Python in a session that takes orders: the agent's, and those that judge."""
