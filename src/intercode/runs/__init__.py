"""Runs: MANY episodes, their store, their replay."""
