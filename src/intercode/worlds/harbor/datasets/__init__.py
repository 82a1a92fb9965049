"""Data sets of this world. A file's name is a data set's name."""
