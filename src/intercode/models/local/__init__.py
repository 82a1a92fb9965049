"""Weights on this machine, asked through a server that lives as long as the model."""
