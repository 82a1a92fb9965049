"""Attacks on rewards: their promise, and those that several worlds share. A world's own are in its folder."""
