"""From text to a tree: a list of texts and of nodes."""

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(r"(\{\{.*?\}\}|\{%.*?%\})", re.DOTALL)


class TemplateError(ValueError):
    """A template that cannot be understood; the message names the tag."""


@dataclass
class Value:
    path: str


@dataclass
class Loop:
    name: str
    path: str
    body: list = field(default_factory=list)


@dataclass
class Condition:
    path: str
    body: list = field(default_factory=list)


def parse(text):
    """The tree of a template. Raises TemplateError for tags that are unknown or not closed."""
    root = []
    open_nodes = []
    for token in _TOKEN.split(text):
        body = open_nodes[-1].body if open_nodes else root
        if token.startswith("{{"):
            body.append(Value(token[2:-2].strip()))
        elif token.startswith("{%"):
            words = token[2:-2].split()
            if words == ["end"]:
                if not open_nodes:
                    raise TemplateError("there is nothing to end")
                open_nodes.pop()
            else:
                node = _node(words)
                body.append(node)
                open_nodes.append(node)
        elif token:
            body.append(token)
    return root


def _node(words):
    if len(words) == 4 and words[0] == "for" and words[2] == "in":
        return Loop(words[1], words[3])
    if len(words) == 2 and words[0] == "if":
        return Condition(words[1])
    raise TemplateError(f"unknown tag: {' '.join(words)}")
