"""Folders and processes without walls: what `local` is made of."""
