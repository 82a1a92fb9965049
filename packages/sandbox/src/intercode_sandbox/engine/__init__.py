"""A container engine (Docker, Podman), spoken to by nothing but its command."""
