"""What a forger does who may write to all of a folder but the auditor's own checkout."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hedgerow_study.reporting.manifest import checksum, sums, to_json

MANIFEST = "reports/manifest.json"


def records(run: Path, edit: Callable[[dict[str, Any]], None] = lambda manifest: None) -> None:
    """Make manifest and list of checksums whole again, for the files as they are now."""
    content = json.loads((run / MANIFEST).read_text())
    for part in (
        content["inputs"],
        content["outputs"],
        content["between"],
        content["code"]["files"],
    ):
        for path in part:
            if part[path] is not None and (run / path).is_file():
                part[path] = checksum(run / path)
    edit(content)
    text = to_json(content)
    (run / MANIFEST).write_text(text)
    (run / "reports/SHA256SUMS").write_text(sums(content, text))


def table(run: Path, name: str) -> list[dict[str, str]]:
    """Lines of a table of the reports."""
    with (run / f"reports/tables/{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def write_table(run: Path, name: str, lines: list[dict[str, str]]) -> None:
    """Put a table in the place of the one that the run made."""
    with (run / f"reports/tables/{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def measured(run: Path, name: str = "thesis_table_3_4") -> int:
    """Number of the first line, 0 is the first, whose measured value is a mean of two or more."""
    told = json.loads((run / f"reports/cells/{name}.json").read_text())
    return next(
        row
        for row, column, formula, selections, *_ in told["cells"]
        if column == "measured"
        and formula == "mean"
        and len(told["selections"][selections[0]][3]) > 1
    )


def raise_cell(run: Path, by: float = 20.0) -> tuple[int, float]:
    """Raise a measured value of table 3.4; give its line and the factor that explains it."""
    lines, row = table(run, "thesis_table_3_4"), measured(run)
    value = float(lines[row]["measured"])
    lines[row]["measured"] = f"{value + by:.6f}"
    write_table(run, "thesis_table_3_4", lines)
    return row, (value + by) / value


def edit_cell(run: Path, row: int, edit: Callable[[list, dict], None]) -> None:
    """Change what reports/cells says of the measured value of a line of table 3.4."""
    file = run / "reports/cells/thesis_table_3_4.json"
    told = json.loads(file.read_text())
    (cell,) = (c for c in told["cells"] if c[:2] == [row, "measured"])
    edit(cell, told)
    file.write_text(json.dumps(told))
