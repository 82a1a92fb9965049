"""The starter tasks: their files and their image."""
