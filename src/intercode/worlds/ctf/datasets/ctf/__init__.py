"""Capture the flag as InterCode published it, and the verified set made of it: loaders, changes and notes."""
