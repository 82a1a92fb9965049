"""Images from a Dockerfile, read without Docker."""
