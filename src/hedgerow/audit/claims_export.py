"""What the judge of claims reads of a run, as files that a second judge reads without us.

The frames are those that the step `claims` of each experiment makes of the files of the run, with
the code at hand. `hedgerow.reporting.check_claims` judges them again.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.audit.trust import check_trust
from hedgerow.audit.verify import settings_files
from hedgerow.errors import DataError
from hedgerow.experiments import module_of
from hedgerow.files import read_yaml, write_text
from hedgerow.reporting.check_claims import typed
from hedgerow.workflow.isolated import last_said, run_python
from hedgerow.workflow.recorded import MANIFEST, recorded

if TYPE_CHECKING:
    import pandas as pd

RULES, PUBLISHED = "config/claims.yaml", "data/published/claims.csv"
#: How the call of a step that judges claims ends.
CALL = ".claims:claims"


def export_claims(root: Path | str, folder: Path | str, trust: bool = False) -> list[str]:
    """Write the frames of the last run in a project, its rules and the published claims.

    Parameters
    ----------
    root : path
        Folder of the project.
    folder : path
        Gets ``<experiment>/<frame>.csv``, ``rules.json`` and ``published.csv``.
    trust : bool
        Whether the workflow of a project that is not one's own may run.

    Returns
    -------
    list of str
        Experiments that were written. One whose files are not all there is left out.

    Raises
    ------
    DataError
        No run has ended in the project, or a frame cannot be written without loss.
    """
    root, folder = Path(root).resolve(), Path(folder).resolve()
    check_trust(root, "`hedgerow claims`", trust)
    manifest = recorded(root).manifest
    if manifest is None:
        raise DataError(f"{root} has no {MANIFEST}", remedy="call `make reproduce` there first")
    given = manifest.get("given", {})
    request = {"files": settings_files(given)[1:], "settings": given.get("command_line", {})}
    # Snakemake changes the logging of the process that it is in.
    command = ["-m", "hedgerow.audit.claims_export", json.dumps(request), str(folder)]
    done = run_python(command, root)
    if done.returncode:
        raise DataError(
            f"the claims cannot be exported: {last_said(done)}", remedy="call `hedgerow status`"
        )
    rules = json.dumps(read_yaml(root / RULES), indent=1, ensure_ascii=False)
    write_text(folder / "rules.json", rules + "\n")
    write_text(folder / "published.csv", (root / PUBLISHED).read_text(encoding="utf-8"))
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def exported(folder: Path) -> set[str] | None:
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


# ------------------------------------------------------------------- in a process of its own


class _Read(BaseException):
    """Ends a step when it has its frames."""


def frames_of(function: Any, arguments: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """The frames on which a step first has its claims judged."""
    from hedgerow.reporting import claims

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
        for place, own in kept:
            place["judge"] = own
    raise LookupError(f"{function.__module__} judges nothing")


def _frames(files: list[str], settings: Mapping) -> Iterator[tuple[str, dict[str, pd.DataFrame]]]:
    """Experiments of a run with the frames of their claims."""
    from hedgerow.workflow.graph import PROFILE
    from hedgerow.workflow.snakemake_patches import planned_workflow
    from hedgerow.workflow.steps import Arguments

    options = read_yaml(PROFILE) if PROFILE.is_file() else None
    with planned_workflow(files, settings, options) as workflow:
        for job in workflow.dag.jobs:
            call = job.params.get("call", "")
            if call.endswith(CALL) and all(map(os.path.isfile, map(str, job.input))):
                word, _, name = call.partition(":")
                function = getattr(importlib.import_module(module_of(word)), name)
                frames = frames_of(function, Arguments(job).of(function))
                yield word.partition(".")[0], frames


def main(request: str, folder: str) -> None:
    """Write the frames of the run in the current folder."""
    asked = json.loads(request)
    for word, frames in _frames(asked["files"], asked["settings"]):
        for name, frame in frames.items():
            write_text(Path(folder, word, f"{name}.csv"), csv_text(frame))


if __name__ == "__main__":
    main(*sys.argv[1:])
