"""The families of Bash tasks, a module for each topic."""
