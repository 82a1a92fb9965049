"""Programs that run inside the sandbox that judges a fix, by the image's own Python: they import nothing of ours."""
