"""Images: recipes for the file systems that sessions start from, and the cache that they are built into."""

from intercode.sandboxes.images.base import Image, Layer, Mount, Workshop

__all__ = ["Image", "Layer", "Mount", "Workshop"]
