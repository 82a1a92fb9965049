"""Tests of worlds. A package, so that its conftest.py is no other's."""
