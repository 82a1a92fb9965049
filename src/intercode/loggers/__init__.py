"""Loggers: WHERE figures go besides the run's own directory. One file each; its package is imported on first use."""
