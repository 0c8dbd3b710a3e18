"""A value of a table at full scale is raised, and so is its checksum in the manifest beside it."""

import csv
import json

from hedgerow_study.reporting.manifest import checksum, to_json

COMMAND = ("verify",)
FOLDER = "data/reference/evidential"
TABLE = "e2m_table_1.csv"
#: Parts of former code or settings give no tables; then the answer says so.
ANSWER = rf"differs\s+{TABLE}|evidential/made from its parts\s+not checked"


def forge(run):
    folder = run / FOLDER
    with (folder / TABLE).open(newline="") as file:
        head, *lines = csv.reader(file)
    column = head.index("measured")
    line = next(line for line in lines if line[column])
    line[column] = "99.12"
    with (folder / TABLE).open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *lines])
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["outputs"][TABLE] = checksum(folder / TABLE)
    (folder / "manifest.json").write_text(to_json(manifest))
