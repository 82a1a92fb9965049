"""The parts of agents that ask a model."""
