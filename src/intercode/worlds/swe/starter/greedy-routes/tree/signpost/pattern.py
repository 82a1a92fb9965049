"""One route's pattern."""

import re
from urllib.parse import unquote

_PART = re.compile(r"\{(?P<name>[a-z_]+)(:(?P<kind>[a-z]+))?\}")
_KINDS = {"str": "[^/]+", "int": "[0-9]+", "rest": ".+"}


class PatternError(ValueError):
    """A pattern that means nothing."""


class Pattern:
    """A path with named parts. `weight` orders patterns: of two that fit, the one with the larger weight is meant."""

    def __init__(self, text):
        if not text.startswith("/"):
            raise PatternError(f"a route begins with a slash, not {text!r}")
        self.text = text
        self.kinds = {}
        self._expression = re.compile(self._compile(text))
        self.weight = len(text)

    def _compile(self, text):
        made, place = "", 0
        for part in _PART.finditer(text):
            name, kind = part["name"], part["kind"] or "str"
            if kind not in _KINDS:
                raise PatternError(f"no kind called {kind!r}; there are: {', '.join(_KINDS)}")
            if name in self.kinds:
                raise PatternError(f"{name!r} stands twice in {text!r}")
            self.kinds[name] = kind
            made += re.escape(text[place : part.start()]) + f"(?P<{name}>{_KINDS[kind]})"
            place = part.end()
        return made + re.escape(text[place:])

    def match(self, path):
        """The values of the named parts if `path` fits, else None."""
        found = self._expression.match(unquote(path))
        if found is None:
            return None
        return {name: self._value(name, value) for name, value in found.groupdict().items()}

    def _value(self, name, value):
        return int(value) if self.kinds[name] == "int" else value
