"""What agents that ask a model share."""
