"""The settings that data sets of several kinds take, and their checks."""
