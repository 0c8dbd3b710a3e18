"""Workbooks as people keep them: hidden sheets and rows, filters, merged cells, several tables."""

from __future__ import annotations

import numpy as np
import pytest
from clinic.made import asked, patients, read

from hedgerow.cli import main
from hedgerow.errors import DataError

openpyxl = pytest.importorskip("openpyxl")
PLAIN = ("--time", "years", "--event", "status", "--horizon", "5y")


def sheet(book, title, table, state="visible"):
    """A sheet with a table."""
    made = book.create_sheet(title)
    made.sheet_state = state
    made.append(list(table))
    for row in table.astype(object).where(table.notna(), None).to_numpy().tolist():
        made.append(row)
    return made


@pytest.fixture
def book():
    made = openpyxl.Workbook()
    made.remove(made.active)
    return made


def saved(folder, book):
    book.save(folder / "a.xlsx")
    return folder / "a.xlsx"


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_a_hidden_sheet_in_front(tmp_path, book, state):
    """The hidden one was read in the place of the one that everybody sees."""
    sheet(book, "old", patients(60, seed=3), state)
    sheet(book, "Patients 2020", patients(100))
    book.create_sheet("Sheet3")
    found = read(saved(tmp_path, book), *PLAIN)
    assert len(found) == 100 and "sheet `Patients 2020` of a workbook" in found.read_as
    assert len(read(saved(tmp_path, book), *PLAIN, "--sheet", "old")) == 60


def test_several_sheets_with_tables(tmp_path, book):
    """The first one was read without a word."""
    sheet(book, "men", patients(60, seed=3))
    sheet(book, "all of them", patients(100))
    (line,) = asked(saved(tmp_path, book), *PLAIN)
    assert line == (
        "2 of its sheets hold tables: 'men' (61 rows), 'all of them' (101 rows); say --sheet men "
        "or --sheet 'all of them'"
    )
    assert len(read(saved(tmp_path, book), *PLAIN, "--sheet", "all of them")) == 100


def test_a_table_in_a_hidden_sheet_alone(tmp_path, book):
    sheet(book, "data", patients(60), "hidden")
    book.create_sheet("Chart").append(["a note"])
    with pytest.raises(DataError, match="holds a table in a hidden sheet alone; say --sheet data"):
        read(saved(tmp_path, book), *PLAIN)
    with pytest.raises(DataError, match="has no sheet 'x'; it has data, Chart"):
        read(saved(tmp_path, book), *PLAIN, "--sheet", "x")


def test_rows_that_are_hidden_or_filtered_out(tmp_path, book):
    """Patients who were filtered out on the screen counted."""
    table = patients(100)
    own = sheet(book, "data", table)
    own.auto_filter.ref = "A1:G101"
    gone = [k for k in range(100) if table.loc[k, "sex"] == "male"]
    for k in gone:
        own.row_dimensions[k + 2].hidden = True
    (line,) = asked(saved(tmp_path, book), *PLAIN)
    assert line == (
        f"{len(gone)} of 100 rows are hidden or filtered out in the workbook, the first one is row "
        f"{gone[0] + 2}; say --hidden-rows drop or --hidden-rows keep"
    )
    found = read(saved(tmp_path, book), *PLAIN, "--hidden-rows", "drop")
    assert len(found) == 100 - len(gone) and not set(found.rows) & {k + 2 for k in gone}
    said = [(d.message, d.by) for d in found.decisions]
    assert ("rows that are hidden in the workbook do not count", "--hidden-rows drop") in said
    assert len(read(saved(tmp_path, book), *PLAIN, "--hidden-rows", "keep")) == 100


def test_hidden_columns_are_named(tmp_path, book):
    own = sheet(book, "data", patients(100))
    own.column_dimensions["C"].hidden = True
    found = read(saved(tmp_path, book), *PLAIN)
    assert "column C is hidden in the workbook, and read" in found.read_as


def test_merged_cells_keep_their_value(tmp_path, book):
    """Two patients with one merged cell for their sex: the second had none."""
    table = patients(100)
    table["sex"] = np.repeat(["female", "male"] * 25, 2)
    own = sheet(book, "data", table)
    for row in range(2, 102, 2):
        own.merge_cells(f"D{row}:D{row + 1}")
    found = read(saved(tmp_path, book), *PLAIN)
    assert found.X["sex"].tolist() == table["sex"].tolist()
    assert "each cell of a merged area has its value" in found.read_as


def test_a_merged_title_and_merged_heads(tmp_path, book):
    own = sheet(book, "data", patients(100))
    own.insert_rows(1, 2)
    own["A1"], own["A2"], own["B2"] = "Our patients", "patient", "Inclusion"
    own.merge_cells("A1:G1")
    own.merge_cells("B2:D2")
    (line,) = asked(saved(tmp_path, book), *PLAIN)
    assert line.startswith("row 1: it does not name ") and "row 3 looks like the head; say" in line
    assert len(read(saved(tmp_path, book), *PLAIN, "--head", "3")) == 100


def test_merged_areas_without_end(tmp_path, book, monkeypatch):
    monkeypatch.setattr("hedgerow_clinic.workbook.MOST_CELLS", 10_000)
    own = sheet(book, "data", patients(100))
    own["K1"] = "far"
    for _ in range(30):
        own.merged_cells.add(openpyxl.worksheet.cell_range.CellRange("A2:G101"))
    own.merge_cells("A2:XFD101")
    with pytest.raises(DataError, match="has more than 10,000 cells in its sheet"):
        read(saved(tmp_path, book), *PLAIN)


def test_the_sheet_is_in_passport_and_command(tmp_path, book):
    """The passport named no sheet, and the command of the manifest would have read another one."""
    sheet(book, "x", patients(60, seed=3))
    sheet(book, "data", patients(120))
    book.save(tmp_path / "a.xlsx")
    words = ["survival", str(tmp_path / "a.xlsx"), *PLAIN, "--sheet", "data", "--bootstraps", "0"]
    assert main([*words, "--out", str(tmp_path / "o"), "--quiet"]) == 0
    assert "of a workbook" in (tmp_path / "o/passport.html").read_text()
    assert "--sheet data" in (tmp_path / "o/manifest.json").read_text()


def test_no_backticks_on_the_pages(tmp_path, book):
    """Names of columns stood between raw backticks."""
    sheet(book, "data", patients(120))
    book.save(tmp_path / "a.xlsx")
    words = ["survival", str(tmp_path / "a.xlsx"), *PLAIN, "--bootstraps", "0", "--quiet"]
    assert main([*words, "--out", str(tmp_path / "o"), "--title", "`a` of <b>"]) == 0
    for path in (tmp_path / "o").glob("*.html"):
        body = path.read_text().partition("</title>")[2]
        assert "`" not in body and "<b>" not in body
    assert "times in <code>years</code>" in (tmp_path / "o/passport.html").read_text()
