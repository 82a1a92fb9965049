"""Run the notebooks in docs/tutorials, store their outputs, and write each as a page for the documentation site.

The site's generator reads Markdown only. Notebooks run in an empty folder, as a reader would run them. With names of
notebooks, only these run.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"
SECONDS = 300
"""What a cell may take."""

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def main(names: list[str]) -> None:
    """Run all notebooks, or those with these names."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.stem in names:
            notebook = run(path)
            nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
            path.with_suffix(".md").write_text(page(notebook, path.name), encoding="utf-8")
            print(f"{path}: {len(notebook.cells)} cells")


def run(path: Path) -> Any:
    """Return the notebook at *path* with the outputs of today. Raises CellExecutionError where a cell fails."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as folder:
        program = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": program, "IPYTHONDIR": f"{folder}/.ipython", "CI": "1"}
        sockets = Config({"ConnectionFileMixin": {"transport": "ipc", "ip": f"{folder}/.kernel"}})  # no open ports
        options: dict[str, Any] = {"resources": {"metadata": {"path": folder}}, "startup_timeout": SECONDS}
        client = NotebookClient(notebook, timeout=SECONDS, config=sockets, **options)
        client.execute(env=environment)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran
    return notebook


def page(notebook: Any, name: str) -> str:
    """Return the *notebook* as a page of Markdown, which begins with its title.

    Its code is run by the notebook's test.
    """
    title, *cells = notebook.cells
    parts = [title.source, f"This page is a [notebook]({name}) with its outputs. The tests run it."]
    for cell in cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(_code(cell.source))
        parts += [f"<!-- norun -->\n```text\n{shown}\n```" for shown in [output(cell)] if shown]
    return "\n\n".join(parts) + "\n"


def _code(source: str) -> str:
    """Return a cell whose first line is `%%sh` is a block for a shell."""
    first, _, rest = source.partition("\n")
    language, code = ("sh", rest) if first.startswith("%%sh") else ("python", source)
    return f"<!-- norun -->\n```{language}\n{code}\n```"


def output(cell: Any) -> str:
    """Return what the *cell* printed, and what its last line is."""
    texts = [each.get("text") or each.get("data", {}).get("text/plain", "") for each in cell.outputs]
    return COLOURS.sub("", "".join(texts)).rstrip("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
