"""Generated Bash tasks: `world.py` is the file system, `families/` what is asked of it."""
