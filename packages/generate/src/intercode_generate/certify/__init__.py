"""Certificates: proof, task by task, that a data set can be solved and cannot be cheated."""
