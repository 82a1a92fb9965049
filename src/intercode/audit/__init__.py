"""Checks of data sets, rewards and runs: hackcheck, replay, import."""
