"""Rows of an experiment are edited; tables, verdicts and pages are to be made from them."""

from forger import records

from hedgerow.files import read_parquet, write_parquet

COMMAND = ("verify", "--no-cheap", "--rerun", "data/results/soft/haberman.parquet")
ANSWER = r"data/results/soft/haberman\.parquet|Not checked: [^.]*jobs not rerun"


def forge(run):
    file = run / "data/results/soft/haberman.parquet"
    rows = read_parquet(file)
    better = rows["value"].where(rows["method"] != "se", rows["value"] + 0.05)
    write_parquet(file, rows.assign(value=better))
    records(run)
