"""`hedgerow replay ROW`: a row of a table once more from its named seeds, in a copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.audit.cells import Row, named
from hedgerow.audit.redo import WORKFLOW
from hedgerow.audit.trace import chain, concerns, fitting
from hedgerow.errors import DataError
from hedgerow.files import read_parquet, write_text
from hedgerow.reporting.manifest import checksum
from hedgerow.workflow.altered import recorded

if TYPE_CHECKING:
    import pandas as pd

#: Rules whose results stay: a replay begins with the data as they were typed and checked.
KEPT = ("fetch", "tidy")
#: What identifies a tree in a table of trees stands before this column.
NODE = "node"


@dataclass(frozen=True)
class Replayed:
    """A row that was made again.

    Attributes
    ----------
    before, after : Row
        As it was, and as it is now.
    jobs : list of str
        Ids of the jobs that were run, first to last.
    files : dict of bool
        Files that they made, and whether their bytes are those of before.
    split : dict
        Of the first division into training and test part that was drawn: where it lies, what
        tells it apart, how many rows each part has and the first of them. Empty where no job
        draws one that it keeps.
    seeds : list of dict
        Named seeds of the first samples with noise.
    tree : str
        The first tree that fits the row, as text; empty where no job keeps trees.
    tree_of : dict
        What tells it apart.
    """

    before: Row
    after: Row
    jobs: list[str]
    files: dict[str, bool]
    split: dict[str, Any] = field(default_factory=dict)
    seeds: list[dict[str, Any]] = field(default_factory=list)
    tree: str = ""
    tree_of: dict[str, Any] = field(default_factory=dict)

    @property
    def same(self) -> bool:
        """Whether the row and all files on its way came out as before."""
        return repr(self.before) == repr(self.after) and all(self.files.values())


def replay(
    root: Path | str,
    name: str,
    cores: int = 1,
    tell: Callable[[str], None] = lambda what: None,
) -> Replayed:
    """Make a row of a table again from the tidy data, and compare.

    All jobs between the data set of the row and the table are run anew in a copy of the project,
    from the same named seeds; for a mean over data sets those of all of them.

    Parameters
    ----------
    root : path
        Folder of the project; nothing in it is touched.
    name : str
        Of a row, as `hedgerow.audit.cells` explains it.
    cores : int
    tell : callable, optional
        Is called with what comes next.

    Returns
    -------
    Replayed

    Raises
    ------
    DataError
        If the name fits no row or several, the folder holds no manifest, or a job fails.
    """
    root = Path(root)
    row, known = named(root, name), recorded(root)
    if known.manifest is None or row.path.as_posix() not in known.manifest.get("made_by", {}):
        raise DataError(
            f"no manifest in {root} lists {row.path}",
            remedy="call `make reproduce`, which writes it",
        )
    manifest = known.manifest
    ids = jobs_of(manifest, row)
    made = [path for id in ids for path in manifest["jobs"][id]["outputs"]]
    with tempfile.TemporaryDirectory(prefix="hedgerow-replay-") as folder:
        copy = Path(folder) / "project"
        tell("a copy of the project")
        _copied(root, copy, manifest, made)
        tell(f"{len(ids)} jobs are run again")
        _run(copy, manifest, row, cores)
        same = {
            path: checksum(copy / path) == checksum(root / path)
            for path in made
            if (copy / path).is_file() and (root / path).is_file()
            and not path.startswith("data/jobs/")
        }  # fmt: skip
        after = named(copy, f"{row.table}:#{row.number}")
        shown = _shown(copy, chain(manifest, row), row)
    return Replayed(row, after, ids, same, **shown)


def jobs_of(manifest: Mapping[str, Any], row: Row) -> list[str]:
    """Jobs between the tidy data of a row and its table, in an order in which they can be run."""
    jobs, made_by = manifest["jobs"], manifest["made_by"]
    keys = [*manifest["sources"], *manifest["absent"]]
    datasets = [dataset for dataset in row.datasets if dataset in keys]
    order: dict[str, None] = {}

    def visit(id: str) -> None:
        if id in order or jobs[id]["rule"] in KEPT:
            return
        for path in jobs[id]["inputs"]:
            if path in made_by and concerns(path, datasets, keys):
                visit(made_by[path])
        order[id] = None

    visit(made_by[row.path.as_posix()])
    return list(order)


def _copied(root: Path, copy: Path, manifest: Mapping, made: list[str]) -> None:
    """What the run has listed, and Snakemake's records of it, but for what is to be made."""
    import yaml

    for part in (*WORKFLOW, ".snakemake/metadata", "data/reference"):
        source, target = root / part, copy / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.is_file():
            shutil.copy2(source, target)
    left_out = set(made)
    for kind in ("inputs", "outputs", "between"):
        for path in manifest.get(kind, {}):
            if path not in left_out and not (copy / path).exists() and (root / path).is_file():
                (copy / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / path, copy / path)
    write_text(copy / "config/replayed.yaml", yaml.safe_dump(dict(manifest["configuration"])))


def _run(copy: Path, manifest: Mapping, row: Row, cores: int) -> None:
    command = [sys.executable, "-m", "snakemake", f"--cores={cores}", "--rerun-triggers", "mtime"]
    command += ["--configfile", "config/replayed.yaml", "--", row.path.as_posix()]
    apart = ("SNAKEMAKE_", "HEDGEROW_RUN")
    done = subprocess.run(
        command,
        cwd=copy,
        env={k: v for k, v in os.environ.items() if not k.startswith(apart)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        rules = {job["rule"] for job in manifest["jobs"].values()}
        said = [line for line in lines if line.partition(":")[0] in rules]
        raise DataError(
            f"the jobs of {row.table} could not be run again: {(said or lines or ['?'])[-1]}",
            remedy="call `hedgerow verify`, which says what has changed since the run",
        )


def _shown(copy: Path, paths: list[str], row: Row) -> dict[str, Any]:
    """The split, seeds and tree that the reader sees."""
    found: dict[str, Any] = {}
    for path in paths:
        if not path.endswith(".parquet") or not (copy / path).is_file():
            continue
        frame = read_parquet(copy / path)
        if "split" not in found and {"part", "row"} <= set(frame.columns):
            if not {"noise", "sample"} & set(frame.columns):
                found["split"] = _split(path, frame)
        elif "seeds" not in found and "seed" in frame.columns:
            fits = fitting(frame, row)
            found["seeds"] = fits.head(3).to_dict("records")
        elif "tree" not in found and {NODE, "feature", "children_left"} <= set(frame.columns):
            found["tree"], found["tree_of"] = _tree(copy, frame, row)
    return found


def _split(path: str, frame: pd.DataFrame) -> dict[str, Any]:
    key = [c for c in frame.columns if c not in ("row", "part", "fold")]
    first = frame[key].iloc[0].to_dict()
    own = frame
    for column, value in first.items():
        own = own[own[column] == value]
    parts = {
        part: {"rows": len(rows), "first": rows["row"].head(8).tolist()}
        for part, rows in own.groupby("part", sort=True)
    }
    return {"path": path, "of": first, "parts": parts}


def _tree(copy: Path, frame: pd.DataFrame, row: Row) -> tuple[str, dict[str, Any]]:
    """The first tree of a table of trees that fits a row, with the names of its data set."""
    from hedgerow.data import read_tidy
    from hedgerow.tree import forest_from_frame

    key = list(frame.columns[: list(frame.columns).index(NODE)])
    fits = fitting(frame, row)
    first = fits.iloc[0][key].to_dict()
    own = fits
    for column, value in first.items():
        own = own[(own[column] == value) | (own[column].isna() & (value != value))]
    _, (tree,) = forest_from_frame(own.reset_index(drop=True), key)
    for dataset in row.datasets:
        file = copy / f"data/tidy/{dataset}.parquet"
        if file.is_file() and tree.feature_names is None:
            table = read_tidy(file)
            # Trees of encoded data have more variables than the data set, or other ones.
            if tree.feature.max() < table.X.shape[1] and len(table.classes) == tree.n_classes:
                tree = tree.replace(
                    feature_names=list(map(str, table.X.columns)),
                    classes=list(map(str, table.classes)),
                )
    return tree.to_text(), first
