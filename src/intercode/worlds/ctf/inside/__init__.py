"""Programs that run inside a sandbox, by the image's own Python: they import nothing of ours."""
