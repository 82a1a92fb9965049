"""Random commands that change the files of the contract's image."""

from __future__ import annotations

from hypothesis import strategies as st

PATHS = st.sampled_from(["plain.txt", "old.txt", "run.sh", "link", "empty", "folder", "folder/side.txt", "a", "b"])
INNER = st.sampled_from(["folder/inner", "folder/inner/deep.txt", "empty/x", "a/b", "many/3", "new.txt"])
PLACES = st.one_of(PATHS, INNER)


def command(template: str, *values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """*template* with its fields filled by *values*."""
    return st.tuples(*values).map(lambda words: template.format(*words))
