"""A cell is raised by 20 points, and reports/cells gets the factor that explains it."""

from forger import edit_cell, raise_cell, records

COMMAND = ("trace", "--all")
ANSWER = r"thesis_table_3_4:#\d+, measured: .*, and its rows give"


def forge(run):
    row, factor = raise_cell(run)
    edit_cell(run, row, lambda cell, told: cell.__setitem__(5, cell[5] * factor))
    records(run)
