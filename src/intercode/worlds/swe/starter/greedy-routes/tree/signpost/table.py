"""All routes together."""

from signpost.pattern import Pattern


class NotFound(LookupError):
    """No route fits."""


class Signpost:
    """Routes, each with its handler. Of several that fit, the most specific one is found, whatever came first."""

    def __init__(self):
        self._routes = []

    def add(self, pattern, handler):
        """Add a route; the handler may be anything."""
        self._routes.append((Pattern(pattern), handler))
        self._routes.sort(key=lambda route: route[0].weight, reverse=True)

    def find(self, path):
        """The handler for `path`, and the values of the pattern's named parts. Raises NotFound."""
        for pattern, handler in self._routes:
            values = pattern.match(path)
            if values is not None:
                return handler, values
        raise NotFound(path)
