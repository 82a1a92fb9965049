"""A task of one's own in a folder: `task.toml`, the tasks, and what there is beside them."""

from intercode.datasets.folder.locations import installed_folders, is_own, place_of
from intercode.datasets.folder.settings import NAME, FolderSettings, read_settings

__all__ = ["NAME", "FolderSettings", "installed_folders", "is_own", "place_of", "read_settings"]
