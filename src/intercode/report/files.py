"""A report as a folder of files, for papers and for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from intercode.errors import UserError
from intercode.report.report import Report
from intercode.report.table import to_csv, to_latex, to_markdown
from intercode.report.tables import make_tables, readable_tables


def write(folder: Path, reports: Sequence[Report]) -> list[str]:
    """Write report.md, report.tex, report.json, a CSV for each table and, where matplotlib is installed, plots.

    Returns what a person should know, in lines.

    Raises:
        UserError: If nothing can be written.
    """
    tables = make_tables(reports)
    texts = {f"{sheet.name.replace(' ', '-')}.csv": to_csv(sheet) for sheet in tables}
    texts["report.md"] = to_markdown(readable_tables(reports))
    texts["report.tex"] = to_latex(readable_tables(reports))
    texts["report.json"] = json.dumps([each.to_json() for each in reports], indent=2, allow_nan=False) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}; name another directory") from error
    return [f"written: {folder}/{name}" for name in sorted(texts)] + _plots(folder, reports)


def _plots(folder: Path, reports: Sequence[Report]) -> list[str]:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        return ["no plots: they need matplotlib, which `pip install intercode-env[plots]` adds"]
    from intercode.report.plots import write as plot

    return [f"written: {path}" for path in plot(folder, reports)]
