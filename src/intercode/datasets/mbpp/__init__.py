"""MBPP as InterCode plays it, and the verified set made of it: loaders and changes."""
