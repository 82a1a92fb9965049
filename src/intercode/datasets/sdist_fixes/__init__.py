"""Bug fixes between releases of packages: loader, pinned releases and tasks."""
