"""What the embedded and the docker sandbox share: the runner, a program in C that is process 1 of a session."""
