"""Sandboxes: WHERE commands run."""
