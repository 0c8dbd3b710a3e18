"""A cell is raised, and its formula in reports/cells is the one that holds by definition."""

from forger import edit_cell, raise_cell, records

COMMAND = ("trace", "--all")
ANSWER = r"thesis_table_3_4:#\d+, measured: .*, and its rows give"


def forge(run):
    row, _ = raise_cell(run)
    edit_cell(run, row, lambda cell, told: cell.__setitem__(2, ""))
    records(run)
