"""Small templates for HTML."""

from stencil.parse import TemplateError
from stencil.render import Safe, render

__all__ = ["Safe", "TemplateError", "render"]
