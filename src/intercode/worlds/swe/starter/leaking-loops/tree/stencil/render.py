"""From a tree and values to text."""

from html import escape

from stencil.parse import Loop, TemplateError, Value, parse


class Safe(str):
    """Text that is HTML already, and not escaped."""


def render(template, **values):
    """*template* filled in. Raises TemplateError for names that are not there."""
    return "".join(_pieces(parse(template), values))


def _pieces(tree, values):
    for node in tree:
        if isinstance(node, str):
            yield node
        elif isinstance(node, Value):
            value = _find(node.path, values)
            yield value if isinstance(value, Safe) else escape(str(value), quote=False)
        elif isinstance(node, Loop):
            for item in _find(node.path, values):
                values[node.name] = item
                yield from _pieces(node.body, values)
        elif _find(node.path, values):
            yield from _pieces(node.body, values)


def _find(path, values):
    """The value of a dotted name: keys of dictionaries, else attributes."""
    found = values
    for name in path.split("."):
        try:
            found = found[name] if isinstance(found, dict) else getattr(found, name)
        except (KeyError, AttributeError):
            raise TemplateError(f"there is no {path}")
    return found
