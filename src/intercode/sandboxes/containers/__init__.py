"""Containers of an engine (Docker, or Podman's socket that is compatible with it): what `docker` is made of."""
