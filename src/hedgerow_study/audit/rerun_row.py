"""`hedgerow replay ROW`: a row of a table once more from its named seeds, in a copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import DataError, InputError
from hedgerow.files import read_parquet
from hedgerow_study.audit.checkout import CLONE, NO_CHECKOUT, check_read, local_checkout
from hedgerow_study.audit.provenance import Part, row_provenance
from hedgerow_study.audit.rerun import rerun_in_copy
from hedgerow_study.audit.row_names import Row, find_row
from hedgerow_study.audit.trace import (
    chain,
    concerns,
    listing,
    matching_rows,
    source_datasets,
    source_files,
    source_keys,
)
from hedgerow_study.experiments import module_of
from hedgerow_study.reporting.manifest import checksum
from hedgerow_study.workflow.jobs.steps import call_of
from hedgerow_study.workflow.references.recorded import recorded

if TYPE_CHECKING:
    import pandas as pd

#: Rules whose results stay: a replay begins with the data as they were typed and checked.
NOT_RERUN = ("fetch", "tidy")
#: What identifies a tree in a table of trees stands before this column.
NODE = "node"


@dataclass(frozen=True)
class RerunRow:
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
        Of the first split into training and test part that was drawn: where it lies, what
        tells it apart, how many rows each part has and the first of them. Empty where no job
        draws one that it keeps.
    seeds : list of dict
        Named seeds of the first samples with noise.
    tree : str
        The tree of the first row that the number rests on, as text; empty where no job keeps trees.
    tree_of : dict
        What tells it apart.
    parts : list of Part
        The numbers of the row, computed from the rows that came out now.
    """

    before: Row
    after: Row
    jobs: list[str]
    files: dict[str, bool]
    split: dict[str, Any] = field(default_factory=dict)
    seeds: list[dict[str, Any]] = field(default_factory=list)
    tree: str = ""
    tree_of: dict[str, Any] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    @property
    def same(self) -> bool:
        """Whether the row, its numbers and all files on its way came out as before."""
        held = all(self.files.values()) and all(part.holds for part in self.parts)
        return repr(self.before) == repr(self.after) and held


def replay(
    root: Path | str, name: str, cores: int = 1, tell: Callable[..., None] = lambda what: None
) -> RerunRow:
    """Make a row of a table again from the tidy data, and compare.

    The jobs that made the rows behind it and those before them, back to the data set, are rerun
    in a copy of the project, from the same named seeds, and the table; for a mean over data
    sets the jobs of all of them. What else the table's job reads is taken as it is. Nothing in the
    folder is run or written: the workflow is that of one's own checkout.
    """
    root, local = Path(root), local_checkout()
    if local is None:
        raise InputError(f"replay: {NO_CHECKOUT}", remedy=CLONE)
    check_read(root)
    row = find_row(root, name)
    manifest = listing(root, recorded(root), row)
    parts, same = row_provenance(root, row), {}
    ids = jobs_of(manifest, row, parts)
    tell(f"{len(ids)} jobs are run again")
    for id, copy, failure in rerun_in_copy(root, local, manifest, ids, cores, chained=True):
        if failure:
            raise DataError(
                f"the jobs of {row.table} could not be run again: {failure}",
                remedy="call `hedgerow verify`, which says what has changed since the run",
            )
        same |= {
            path: checksum(copy / path) == checksum(root / path)
            for path in manifest["jobs"][id]["outputs"]
            if (root / path).is_file() and not path.startswith("data/jobs/")
        }
        if id == ids[-1]:  # the copy goes with the next one
            after = find_row(copy, f"{row.table}:#{row.number}")
            shown = _details(copy, manifest, row, parts)
            again = row_provenance(copy, after, manifest)
    return RerunRow(row, after, ids, same, **shown, parts=again)


def jobs_of(manifest: Mapping[str, Any], row: Row, parts: Sequence[Part]) -> list[str]:
    """Jobs between the data and the rows behind a row, in an order in which they can be run, and
    that of its table."""
    jobs, made_by = manifest["jobs"], manifest["made_by"]
    keys = [*manifest["sources"], *manifest["absent"]]
    datasets = source_datasets(parts, manifest)
    order: dict[str, None] = {}
    seen: set[str] = set()

    def visit(id: str) -> None:
        if id in seen or jobs[id]["rule"] in NOT_RERUN:
            return
        seen.add(id)
        for path in jobs[id]["inputs"]:
            if path in made_by and concerns(path, datasets, keys):
                visit(made_by[path])
        order[id] = None

    for path in source_files(parts, manifest):
        if path in made_by:
            visit(made_by[path])
    return list(order | {made_by[row.path.as_posix()]: None})


def _details(copy: Path, manifest: Mapping, row: Row, parts: Sequence[Part]) -> dict[str, Any]:
    """The split, seeds and tree of the first row that the number rests on."""
    details: dict[str, Any] = {}
    datasets = source_datasets(parts, manifest)[:1]
    keys = source_keys(parts, datasets)
    if keys is None:
        return details
    first = keys.head(1)
    for path in chain(manifest, source_files(parts, manifest, datasets), row.table):
        if not path.endswith(".parquet") or not (copy / path).is_file():
            continue
        frame = read_parquet(copy / path)
        if "split" not in details and {"part", "row"} <= set(frame.columns):
            if not {"noise", "sample"} & set(frame.columns):
                details["split"] = _split(path, matching_rows(frame, first))
        elif "seeds" not in details and "seed" in frame.columns:
            fits = matching_rows(frame, first)
            details["seeds"] = fits.head(3).to_dict("records")
        elif "tree" not in details and {NODE, "feature", "children_left"} <= set(frame.columns):
            details |= _tree(copy, frame, _tree_keys(row, first, parts), datasets)
    return details


def _tree_keys(row: Row, first: pd.DataFrame, parts: Sequence[Part]) -> pd.DataFrame:
    """What tells the tree of a row apart: what the table's function says of it, else the same."""
    import pandas as pd

    module, _, name = call_of(row.table).partition(":")
    shown = getattr(import_module(module_of(module)), name).shown
    if shown.tree is None:
        return first
    rows = next(part.selected[0] for part in parts if len(part.selected[0].frame))
    same_file = rows.all[rows.all["#file"] == rows.frame["#file"].iloc[0]]
    return pd.DataFrame([shown.tree(first.iloc[0].to_dict(), same_file)])


def _split(path: str, frame: pd.DataFrame) -> dict[str, Any]:
    key = [c for c in frame.columns if c not in ("row", "part", "fold")]
    first = frame[key].iloc[0].to_dict()
    subset = frame
    for column, value in first.items():
        subset = subset[subset[column] == value]
    parts = {
        part: {"rows": len(rows), "first": rows["row"].head(8).tolist()}
        for part, rows in subset.groupby("part", sort=True)
    }
    return {"path": path, "of": first, "parts": parts}


def _tree(
    copy: Path, frame: pd.DataFrame, keys: pd.DataFrame, datasets: Sequence[str]
) -> dict[str, Any]:
    """The first tree of a table of trees that fits, with the names of its data set."""
    from hedgerow.data import read_tidy
    from hedgerow.tree import forest_from_frame

    key = list(frame.columns[: list(frame.columns).index(NODE)])
    fits = matching_rows(frame, keys)
    first = fits.iloc[0][key].to_dict()
    subset = fits
    for column, value in first.items():
        subset = subset[(subset[column] == value) | (subset[column].isna() & (value != value))]
    _, (tree,) = forest_from_frame(subset.reset_index(drop=True), key)
    for dataset in datasets:
        file = copy / f"data/tidy/{dataset}.parquet"
        if file.is_file() and tree.feature_names is None:
            table = read_tidy(file)
            # Trees of encoded data have more variables than the data set, or other ones.
            if tree.feature.max() < table.X.shape[1] and len(table.classes) == tree.n_classes:
                tree = tree.replace(
                    feature_names=list(map(str, table.X.columns)),
                    classes=list(map(str, table.classes)),
                )
    return {"tree": tree.to_text(), "tree_of": first}
