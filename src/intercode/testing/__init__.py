"""Contracts: every plug-in inherits one as its tests."""
