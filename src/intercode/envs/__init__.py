"""Worlds: gymnasium environments whose actions are code."""
