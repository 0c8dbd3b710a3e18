"""What the judge of claims reads of a run, as files that a second judge reads without us.

The frames are those that the step `claims` of each experiment makes of the files of the run, with
the code at hand. `hedgerow_study.reporting.check_claims` judges them again.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import DataError
from hedgerow.files import read_text, read_yaml, write_text
from hedgerow_study.audit.checkout import check_read
from hedgerow_study.audit.run import Run
from hedgerow_study.experiments import module_of
from hedgerow_study.reporting.check_claims import typed
from hedgerow_study.workflow.planning.graph import CLAIMS

if TYPE_CHECKING:
    import pandas as pd

RULES, PUBLISHED = "config/claims.yaml", "data/published/claims.csv"


def export_claims(root: Path | str, folder: Path | str) -> list[str]:
    """Write the frames of a run, the rules of one's own checkout, and its published claims.

    Parameters
    ----------
    root : path
        Folder of the run.
    folder : path
        Gets ``<experiment>/<frame>.csv``, ``rules.json`` and ``published.csv``.

    Returns
    -------
    list of str
        Experiments that were written. One whose files are not all there is left out.

    Raises
    ------
    DataError
        No run has ended in the folder, or a frame cannot be written without loss.
    InputError
        The package in use lies in no checkout.
    """
    check_read(root)
    run, folder = Run(root), Path(folder).resolve()
    with run.in_run_folder():
        for id, job in run.jobs.items():
            call = job["asks"]["params"]["call"]
            if not call.endswith(CLAIMS) or not all(map(os.path.isfile, job["inputs"])):
                continue
            module, _, name = call.partition(":")
            function = getattr(importlib.import_module(module_of(module)), name)
            frames = frames_of(function, run.arguments(id).of(function))
            for name, frame in frames.items():
                write_text(folder / module.partition(".")[0] / f"{name}.csv", csv_text(frame))
    rules = json.dumps(read_yaml(run.checkout / RULES), indent=1, ensure_ascii=False)
    write_text(folder / "rules.json", rules + "\n")
    write_text(folder / "published.csv", read_text(run.checkout / PUBLISHED))
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def is_export(folder: Path) -> set[str] | None:
    """The files of an export, by their names in its folder; None where it is none."""
    if not (folder / "rules.json").is_file():
        return None
    files = [folder / "rules.json", folder / "published.csv", *folder.glob("*/*.csv")]
    return {path.relative_to(folder).as_posix() for path in files}


def csv_text(frame: pd.DataFrame) -> str:
    """A frame as CSV from which the second judge reads the same values.

    Returns: numbers in full, `true` and `false`, `NA` for a missing value; an empty cell is an
        empty text.
    """
    import csv
    import io

    columns = {}
    for name in frame.columns:
        values = frame[name].tolist()
        texts = [_cell(value) for value in values]
        again = [None if _is_missing(value) else value for value in values]
        if typed(texts) != again:
            raise DataError(
                f"the column `{name}` of a frame cannot be read back as it is",
                remedy="give it numbers, true and false, or texts that are no numbers and not NA",
            )
        columns[str(name)] = texts
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def _cell(value: Any) -> str:
    if _is_missing(value):
        return "NA"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


class _Read(BaseException):
    """Ends a step when it has its frames."""


def frames_of(function: Any, arguments: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """The frames on which a step first has its claims judged."""
    from hedgerow_study.reporting import claims

    def judge(bound: Any, frames: Mapping[str, pd.DataFrame], *more: Any, **other: Any) -> None:
        raise _Read(frames)

    places = [vars(module) for module in (claims, sys.modules[function.__module__])]
    kept = [(place, place["judge"]) for place in places if "judge" in place]
    for place, _ in kept:
        place["judge"] = judge
    try:
        function(**arguments)
    except _Read as read:
        return {name: frame for name, frame in read.args[0].items() if frame is not None}
    finally:
        for place, original in kept:
            place["judge"] = original
    raise LookupError(f"{function.__module__} judges nothing")
