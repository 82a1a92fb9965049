"""Tests of the environment, whatever its world. A package, so that its conftest.py is no other's."""
