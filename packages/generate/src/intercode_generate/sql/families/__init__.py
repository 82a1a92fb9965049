"""Families of SQL tasks: a module is a topic, a decorated function a family."""
