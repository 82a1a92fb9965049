"""Tests of worlds, a folder for each. A package, so that its conftest.py is no other's."""
