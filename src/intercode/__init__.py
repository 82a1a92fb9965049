"""InterCode: interactive coding as a standard reinforcement-learning environment."""

__version__ = "0.1.0"
