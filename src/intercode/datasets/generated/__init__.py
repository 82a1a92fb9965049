"""Data sets whose tasks are made when they are asked for."""
