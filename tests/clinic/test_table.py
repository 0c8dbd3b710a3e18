"""Tables as people have them: every dialect gives the same values, every mistake its sentence."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from clinic.made import patients, written

from hedgerow.errors import DataError, InputError
from hedgerow_clinic.answers import Answers
from hedgerow_clinic.cohort import Outcome, read_cohort
from hedgerow_clinic.problems import TableError
from hedgerow_clinic.schema import detect_columns, read_schema, write_template
from hedgerow_clinic.table import read_texts

OUTCOME = Outcome("status", time="years", intervention="surgery", horizon="5y")


def cohort(path, outcome=OUTCOME, schema=None):
    table = read_texts(path)
    columns = detect_columns(table)
    if schema is not None:
        columns = read_schema(schema, table, columns)
    return read_cohort(table, outcome, columns)


def same(one, other):
    pd.testing.assert_frame_equal(one.X, other.X)
    np.testing.assert_allclose(one.time, other.time)
    np.testing.assert_array_equal(one.event, other.event)
    np.testing.assert_allclose(one.treated_at, other.treated_at)


def problems(path, outcome=OUTCOME, schema=None):
    with pytest.raises(TableError) as caught:
        cohort(path, outcome, schema)
    assert "nothing was written" in str(caught.value)
    return caught.value.lines


def text_of(path, tmp_path, text, encoding="utf-8"):
    (tmp_path / path).write_bytes(text.encode(encoding))
    return tmp_path / path


def dialects():
    plain = patients().to_csv(index=False)
    german = patients().to_csv(index=False, sep=";", decimal=",")
    lines = german.split("\n")
    return {
        "comma": plain.encode(),
        "BOM and CRLF": plain.replace("\n", "\r\n").encode("utf-8-sig"),
        "semicolon": german.encode("cp1252"),
        "sep=": b"sep=;\r\n" + german.encode(),
        "tab": patients().to_csv(index=False, sep="\t").encode(),
        "UTF-16": patients().to_csv(index=False, sep="\t").encode("utf-16"),
        "old Mac": plain.replace("\n", "\r").encode(),
        "quoted": patients().to_csv(index=False, quoting=1).encode(),
        "NA words": patients().to_csv(index=False, na_rep="n/a").encode(),
        "blank lines": plain.replace("\nP0003", "\n\n,,,,,,\nP0003").encode(),
        "empty columns": "\n".join(line + ";;" if line else "" for line in lines).encode(),
        "blanks": plain.replace(",", " , ").encode(),
    }


@pytest.mark.parametrize("name", dialects())
def test_every_dialect_gives_the_same_patients(tmp_path, name):
    plain = cohort(text_of("a.csv", tmp_path, dialects()["comma"].decode()))
    (tmp_path / "b.csv").write_bytes(dialects()[name])
    same(cohort(tmp_path / "b.csv"), plain)
    assert list(plain.X) == ["age", "marker", "sex"]
    assert plain.not_used == {"patient": "another text for each patient"}


def test_a_workbook_gives_the_same_patients(tmp_path):
    pytest.importorskip("openpyxl")
    table = patients()
    table.to_excel(tmp_path / "a.xlsx", index=False)
    same(cohort(tmp_path / "a.xlsx"), cohort(written(tmp_path / "a.csv", table)))
    with pytest.raises(DataError, match="has no sheet 'x'; it has Sheet1"):
        read_texts(tmp_path / "a.xlsx", "x")


def test_a_workbook_without_its_library_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(DataError.__mro__[1], match=r"pip install '\./src/hedgerow_clinic'"):
        read_texts(tmp_path / "a.xlsx")


def test_letters_of_windows(tmp_path):
    table = patients()
    table["sex"] = table["sex"].map({"female": "weiblich", "male": "männlich"})
    path = text_of("a.csv", tmp_path, table.to_csv(index=False), "cp1252")
    assert list(cohort(path).X["sex"].cat.categories) == ["männlich", "weiblich"]
    assert read_texts(path).encoding == "Windows-1252"


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ("point", ["1,234.5", "12.25", "1,000,000"]),
        ("comma", ["1.234,5", "12,25", "1.000.000"]),
        ("comma", ["1 234,5", "12,25", "1'000'000"]),
    ],
)
def test_thousands(tmp_path, form, values):
    table = pd.DataFrame({"cost": values * 20, "years": range(1, 61), "status": [0, 1, 1, 0] * 15})
    path = written(tmp_path / "a.csv", table, sep=";")
    found = cohort(path, Outcome("status", time="years", horizon="5y"))
    assert found.X["cost"][:3].tolist() == [1234.5, 12.25, 1_000_000.0]
    assert read_texts(path).decimal == form


def test_a_decimal_mark_that_nothing_tells(tmp_path):
    costs = [f"{1 + k * 17 % 41},{100 + k * 7}" for k in range(1, 41)]
    table = pd.DataFrame({"cost": costs, "years": range(40), "status": [0, 1] * 20})
    path = written(tmp_path / "a.csv", table, sep=";")
    outcome = Outcome("status", time="years", horizon="5y")
    (line,) = problems(path, outcome)
    assert "18,107 may be 18.107 or 18107; say --decimal cost=comma or --decimal cost=point" in line


def test_all_problems_at_once_by_row_and_column(tmp_path):
    table = patients().astype(object)
    table.loc[0, "age"] = "seventy"
    table.loc[1, "years"] = -1.5
    table.loc[2, "years"] = None
    table.loc[3, "status"] = None
    table.loc[4, "marker"] = "#DIV/0!"
    table.loc[5, "surgery"] = 99
    table.loc[6, "surgery"] = "yes"
    table.loc[4, "marker"] = "2..0"
    lines = problems(written(tmp_path / "a.csv", table))
    for start in (
        "row 2, column `age`: 'seventy' is no number; correct the cell",
        "row 3, column `years`: it is negative; correct",
        "row 4, column `years`: it is empty; complete it, or leave such patients out with",
        "row 5, column `status`: it is empty; complete it",
        "row 6, column `marker`: '2..0' is no number",
        "row 7, column `surgery`: the intervention lies after the end of follow-up; correct one",
        "row 8, column `surgery`: 'yes' is no number",
    ):
        assert any(line.startswith(start) for line in lines), (start, lines)
    assert len(lines) == 7


def test_many_problems_of_one_kind_do_not_hide_others(tmp_path):
    table = patients(3000).astype(object)
    table.loc[100:599, "age"] = [f"?!{'!' * k}" for k in range(500)]
    table.loc[2000, "marker"] = "x"
    lines = problems(written(tmp_path / "a.csv", table))
    assert len(lines) == 7
    assert lines[5] == "and 495 more in column `age` (numbers)"
    assert lines[6].startswith("row 2002, column `marker`")


def test_rows_names_and_errors_of_excel(tmp_path):
    text = "id,age,age,,years,status\n1,2,3,4,5,0\n1,2,3,4,5\n1,2,3,4,5,0,7\n1,#REF!,3,4,5,1\n"
    lines = problems(text_of("a.csv", tmp_path, text))
    assert "row 3: it has 5 fields and the head has 6; look for a line break" in lines[0]
    assert "row 4: it has 7 fields" in lines[1]
    assert any("column 4 (D) has values and no name" in line for line in lines)
    assert any("column `age`: the name stands over the columns B and C" in line for line in lines)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty; export"),
        (b"\n\n", "is empty"),
        (b"a,b\n", "has no row below its head"),
        (b"a\n1\n2\n", "has one column, `a`; divide"),
        (b"a,b\n\x00\x01", "is no text"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...", "is an old workbook; save it as .xlsx"),
        (b"sep=$\na$b\n1$2\n", "names '\\$' as what divides fields"),
        (b'a,b\n"1,2\n3,4\n', "in row 2 a quotation mark is not closed"),
    ],
)
def test_what_is_no_table(tmp_path, content, sentence):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(DataError, match=sentence):
        read_texts(tmp_path / "a.csv")
    with pytest.raises(DataError, match="no such file"):
        read_texts(tmp_path / "none.csv")


# -------------------------------------------------------------------------------- the outcome


@pytest.mark.parametrize(
    ("words", "more"),
    [
        (("1", "0"), {}),
        (("Yes", "No"), {}),
        (("TRUE", "FALSE"), {}),
        (("Died", "Censored"), {}),
        (("2", "1"), {"event_is": ("2",)}),
        (("cardiac death", "follow-up"), {"event_is": ("Cardiac death",)}),
    ],
)
def test_events_in_any_coding(tmp_path, words, more):
    table = patients()
    plain = cohort(written(tmp_path / "a.csv", table))
    table["status"] = table["status"].map(dict(zip(("dead", "alive"), words, strict=True)))
    outcome = Outcome("status", time="years", intervention="surgery", horizon="5y", **more)
    same(cohort(written(tmp_path / "b.csv", table), outcome), plain)


def test_one_of_several_causes(tmp_path):
    table = patients()
    other = (table["status"] == "dead") & (np.arange(len(table)) % 3 == 0)
    table.loc[other, "status"] = "cancer"
    path = written(tmp_path / "a.csv", table)
    found = cohort(path, Outcome("status", time="years", horizon="5y", cause="dead"))
    assert set(found.event[other]) == {2} and set(found.event) == {0, 1, 2}
    (line,) = problems(path)
    row = int(np.argmax(other)) + 2  # the head is row 1
    said = (
        f"column `status`: it holds 'cancer' ({other.sum()}, first in row {row}), which may be an "
        "event or none; say of each --event-is,"
    )
    assert said in line
    (line,) = problems(path, Outcome("status", time="years", horizon="5y", cause="stroke"))
    assert "no row holds 'stroke': it has 'alive', 'cancer', 'dead'" in line


def with_dates(form, n=240):
    table = patients(n)
    start = pd.Timestamp("2010-01-01") + pd.to_timedelta(np.arange(n) * 7, "D")
    days = np.round(table["years"] * 365.25).astype(int)
    table["start"] = start.strftime(form)
    table["end"] = (start + pd.to_timedelta(days.to_numpy(), "D")).strftime(form)
    when = start + pd.to_timedelta(np.floor(table["surgery"].fillna(0).to_numpy() * 365.25), "D")
    table["surgery"] = np.where(table["surgery"].isna(), "", when.strftime(form))
    return table.drop(columns="years"), days


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%b-%Y"])
def test_dates_in_place_of_times(tmp_path, form):
    table, days = with_dates(form)
    outcome = Outcome("status", start="start", end="end", intervention="surgery", horizon="5y")
    found = cohort(written(tmp_path / "a.csv", table), outcome)
    np.testing.assert_allclose(found.time, days / 365.25)
    assert np.isfinite(found.treated_at).sum() == (table["surgery"] != "").sum()
    assert found.period.startswith("2010-01-01 to 2014")


def test_dates_that_may_be_two_days_or_none(tmp_path):
    table, _ = with_dates("%d/%m/%Y")
    table["start"], table["surgery"] = "03/04/2009", ""
    outcome = Outcome("status", start="start", end="end", horizon="5y")
    (line,) = problems(written(tmp_path / "a.csv", table), outcome)
    assert "column `start`: no date tells whether the day stands first: 03/04/2009" in line
    assert "say --dates day-first or --dates month-first" in line
    told = replace(outcome, answers=Answers(dates=("day-first",)))
    assert cohort(tmp_path / "a.csv", told).period.startswith("2009-04-03")
    table["start"] = ["31/02/2009", "01/02/09", "41000", "1/1/2031", *["13/04/2009"] * 236]
    lines = problems(written(tmp_path / "a.csv", table), outcome)
    assert "row 2, column `start`: '31/02/2009' is no date with the day first" in lines[0]
    assert "'01/02/09' has a year of two digits; write it as 2024-12-31" in lines[1]
    assert "'41000' is a number of days, as Excel stores a date" in lines[2]
    assert "row 5, column `start`: 2031-01-01 is still to come" in lines[3]
    assert "row 5, column `end`: it lies before `start`" in lines[4]


def test_interventions_by_yes_and_no(tmp_path):
    table = patients()
    table["surgery"] = np.where(table["surgery"].isna(), "no", "yes")
    found = cohort(written(tmp_path / "a.csv", table))
    assert not found.treated_when
    np.testing.assert_array_equal(np.isfinite(found.treated_at), table["surgery"] == "yes")


def test_units_of_time(tmp_path):
    table = patients()
    plain = cohort(written(tmp_path / "a.csv", table))
    table["days"] = (table["years"] * 365.25).round(9)
    table["surgery"] = (table["surgery"] * 365.25).round(9)
    path = written(tmp_path / "b.csv", table.drop(columns="years"))
    by_name = Outcome("status", time="days", intervention="surgery", horizon="5y")
    np.testing.assert_allclose(cohort(path, by_name).time, plain.time)
    table = table.rename(columns={"days": "time"})
    path = written(tmp_path / "c.csv", table.drop(columns="years"))
    told = Outcome("status", time="time", intervention="surgery", horizon="5y", unit="days")
    found = cohort(path, told)
    np.testing.assert_allclose(found.time, plain.time)
    assert found.taken_as == (
        "times in `time` are taken as days (option --unit); those in `surgery` as days (option "
        "--unit)"
    )


@pytest.mark.parametrize(
    ("name", "unit", "schema", "remedy"),
    [
        ("time", "years", None, r"\(option --unit\); they reach \d+ years; give another --unit \("),
        (
            "fu_years",
            None,
            None,
            r"name of the column\); .*; give the column its `unit` in the sch",
        ),
        ("time", None, "years", r"\(by the schema\); .*; correct its `unit` in the schema \("),
    ],
)
def test_a_unit_that_makes_too_much_of_the_times(tmp_path, name, unit, schema, remedy):
    """`--unit years` was answered by "give the unit that they have with --unit"."""
    table = patients(40)
    table[name] = (table.pop("years") * 365.25).round()
    path = written(tmp_path / "a.csv", table.drop(columns="surgery"))
    columns = detect_columns(read_texts(path))
    if schema:
        columns[name] = replace(columns[name], unit=schema)
    longest = table[name].max() / 365.25
    told = f"{remedy}.*{longest:.3g} years as days"
    with pytest.raises(InputError, match=told):
        read_cohort(
            read_texts(path), Outcome("status", time=name, horizon="5y", unit=unit), columns
        )


def test_times_that_are_too_long_in_every_unit(tmp_path):
    table = patients(40).assign(time=1e9).drop(columns=["surgery", "years"])
    path = written(tmp_path / "a.csv", table)
    with pytest.raises(InputError, match=r"they reach \d+ years; correct the times"):
        cohort(path, Outcome("status", time="time", horizon="5y", unit="days"))


def test_a_unit_that_nothing_tells_is_asked_for(tmp_path):
    """Months from 1 to 60 were read as years in silence, the unit of the horizon."""
    table = patients()
    table["time"] = (table.pop("years") * 5.0).round(3)  # months, as it were
    path = written(tmp_path / "a.csv", table.drop(columns="surgery"))
    outcome = Outcome("status", time="time", horizon="2y")
    assert problems(path, outcome) == (
        f"column `time`: nothing tells its unit, whose values reach {table['time'].max():g}; "
        "give --unit days, weeks, months or years",
    )
    found = cohort(path, replace(outcome, unit="months"))
    np.testing.assert_allclose(found.time, table["time"] / 12.0)
    (tmp_path / "s.yaml").write_text("columns: {time: {unit: Months}}\n")
    by_schema = cohort(path, outcome, tmp_path / "s.yaml")
    assert by_schema.taken_as == "times in `time` are taken as months (by the schema)"
    np.testing.assert_allclose(by_schema.time, found.time)


def test_each_column_of_times_has_its_own_unit(tmp_path):
    """Days until surgery were read as years, the unit of the follow-up."""
    table = patients()
    table["days_to_surgery"] = (table["surgery"] * 365.25).round(9)
    path = written(tmp_path / "a.csv", table)
    plain = cohort(path, replace(OUTCOME, answers=Answers(not_input=("days_to_surgery",))))
    outcome = replace(OUTCOME, intervention="days_to_surgery")
    found = cohort(path, outcome)
    np.testing.assert_allclose(found.treated_at, plain.treated_at)
    assert found.taken_as.endswith(
        "; those in `days_to_surgery` as days (by the name of the column)"
    )
    with pytest.raises(InputError, match="`days_to_surgery` is in days by its name, and in years"):
        cohort(path, replace(outcome, unit="years"))
    dated, _ = with_dates("%Y-%m-%d")
    dated["surgery"] = table["surgery"]
    path = written(tmp_path / "b.csv", dated)
    outcome = Outcome("status", start="start", end="end", intervention="surgery", horizon="5y")
    assert "column `surgery`: nothing tells its unit" in problems(path, outcome)[-1]
    found = cohort(path, replace(outcome, unit="years"))
    np.testing.assert_allclose(found.treated_at, plain.treated_at)


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Outcome("state", time="years"), "has no column `state`; did you mean `status`?"),
        (Outcome("status"), "the follow-up is missing; give --time, or --start"),
        (Outcome("status", time="years", start="a", end="b"), "has no column `a`"),
        (Outcome("status", time="status"), "one column is named for two things"),
        (Outcome("status", time="years", horizon="soon"), "the horizon is 'soon'; write a number"),
        (
            Outcome("status", time="years", cause="x", event_is=("y",)),
            "--event-is and --cause exclude each other",
        ),
    ],
)
def test_options_that_cannot_be(tmp_path, outcome, sentence):
    with pytest.raises(InputError) as caught:
        cohort(written(tmp_path / "a.csv", patients()), outcome)
    assert sentence in str(caught.value)


def test_patients_without_follow_up_are_left_out_on_request(tmp_path):
    table = patients()
    table.loc[3:5, "years"] = np.nan
    told = Outcome("status", time="years", horizon="5y", leave_out=True)
    found = cohort(written(tmp_path / "a.csv", table), told)
    assert found.n_left_out == 3 and len(found) == len(table) - 3 and 5 not in found.rows


def test_cells_are_never_called(tmp_path):
    """Formulas, tags and templates stay texts."""
    words = ["=cmd|' /C calc'!A0", "{{ 7 * 7 }}", "<script>alert(1)</script>", "__import__('os')"]
    table = patients()
    table["sex"] = words * 60
    found = cohort(written(tmp_path / "a.csv", table))
    assert set(found.X["sex"].cat.categories) == set(words)


# --------------------------------------------------------------------------------- the schema


def test_a_template_describes_the_table_and_changes_nothing(tmp_path):
    path = written(tmp_path / "a.csv", patients())
    table = read_texts(path)
    write_template(tmp_path / "s.yaml", table, detect_columns(table))
    assert read_schema(tmp_path / "s.yaml", table, detect_columns(table))["age"].low >= 40
    same(cohort(path, schema=tmp_path / "s.yaml"), cohort(path))


def test_a_schema_says_ranges_missing_words_and_labels(tmp_path):
    table = patients().astype(object)
    table.loc[0, "age"], table.loc[1, "age"], table.loc[2, "sex"] = 999, 130, "x"
    path = written(tmp_path / "a.csv", table)
    (tmp_path / "s.yaml").write_text(
        "columns:\n  age: {label: Age at surgery, unit: years, range: [18, 110], missing: [999]}\n"
        "  sex: {categories: [male, female]}\n  marker: {kind: ignore}\n"
    )
    lines = problems(path, schema=tmp_path / "s.yaml")
    assert lines == (
        "row 3, column `age`: 130 lies outside 18 to 110; correct the value, or the range of the "
        "schema",
        "row 4, column `sex`: 'x' is none of male, female; correct the cell, or the categories of "
        "the schema",
    )
    table.loc[1, "age"], table.loc[2, "sex"] = 80, "male"
    found = cohort(written(path, table), schema=tmp_path / "s.yaml")
    assert np.isnan(found.X["age"][0]) and found.columns["age"].title == "Age at surgery (years)"
    assert found.not_used["marker"] == "left out by the schema"


def test_everything_wrong_with_a_schema_at_once(tmp_path):
    path = written(tmp_path / "a.csv", patients())
    (tmp_path / "s.yaml").write_text(
        "columns:\n  agee: {label: x}\n  age: {unit: years, rangee: [1, 2], error: -1}\n"
        "  sex: {kind: word}\n  marker: {range: [3, 1]}\n"
    )
    lines = problems(path, schema=tmp_path / "s.yaml")
    text = "\n".join(lines)
    assert len(lines) == 5
    assert "column `agee`: the table a.csv has no such column; did you mean `age`?" in text
    assert "column `age`: unknown key `rangee`; did you mean `range`?" in text
    assert "column `age`: `error` is `-1`; give a number of 0 or more" in text
    assert "column `sex`: `kind` is `word`; give one of number" in text
    assert "column `marker`: `range` is `[3, 1]`; give two numbers" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1]", ["`columns` is missing; write one with --template"]),
        ("{columns: [age]}", ["`columns` is `[age]`; write one with --template"]),
        ("{column: {}}", ["unknown key `column`; did you mean `columns`?", "`columns` is missing"]),
        ("{columns: {agee: }, row: 1}", ["unknown key `row`", "has no such column; did you mean"]),
        ("{columns: {age: 3}}", ["column `age`: `columns.age` is `3`; write one with"]),
        ("{columns: {age: {label: [x]}}}", ["column `age`: `label` is `[x]`; give a short text"]),
        ("{columns: {age: {unit: {}}}}", ["column `age`: `unit` is `{}`; give a short text"]),
        ("{columns: {age: {range: [1]}}}", ["`range` is `[1]`; give two numbers"]),
        ("{columns: {age: {range: [a, 1]}}}", ["`range` is `a`; give two numbers"]),
        ("{columns: {age: {error: .nan}}}", ["`error` is `.nan`; give a number of 0 or more"]),
        ("{columns: {sex: {categories: []}}}", ["`categories` is `[]`; give a list of words"]),
        ("{columns: {sex: {categories: [1, '1']}}}", ["`categories` is `[1, '1']`; give a list"]),
        ("{columns: {sex: {categories: m}}}", ["`categories` is `m`; give a list of words"]),
        ("{columns: {sex: {missing: {a: 1}}}}", ["`missing` is `{a: 1}`; give a list of words"]),
        ("{columns: {sex: {missing: ['']}}}", ["`missing` is `['']`; give a list of words or"]),
    ],
)
def test_each_fault_of_a_schema_has_a_sentence(tmp_path, text, said):
    path = written(tmp_path / "a.csv", patients())
    (tmp_path / "s.yaml").write_text(text)
    lines = problems(path, schema=tmp_path / "s.yaml")
    assert len(lines) == len(said)
    assert all(words in line for words, line in zip(said, lines, strict=True))


def test_words_of_a_schema_are_those_of_the_table(tmp_path):
    """YAML takes an unquoted yes for true, and 1 for a number."""
    path = text_of("a.csv", tmp_path, "smoker,stage,x\n" + "yes,1,5\nno,2,.\n" * 20)
    (tmp_path / "s.yaml").write_text(
        "columns:\n  smoker: {categories: [no, yes]}\n  stage: {categories: [1, 2], unit: }\n"
        "  x: {missing: ., label: ' a  b ', range: [null, 9], error: 1}\n"
    )
    table = read_texts(path)
    found = read_schema(tmp_path / "s.yaml", table, detect_columns(table))
    assert found["smoker"].categories == ("no", "yes") and found["stage"].categories == ("1", "2")
    x = found["x"]
    assert (x.missing, x.label, x.low, x.high, x.error) == ({"."}, "a b", -np.inf, 9.0, 1.0)


# -- what a table may hold ------------------------------------------------------------------


def test_a_field_without_end(tmp_path):
    """Python's reader of CSV stops at 131,072 characters, which was a bare error of it."""
    for quote in ('"', ""):
        text = f"age,note\n50,{quote}{'x' * 140_000}{quote}\n60,b\n"
        with pytest.raises(DataError, match="a field of row 2 has more than 131,072 characters"):
            read_texts(text_of("a.csv", tmp_path, text))


def test_control_characters_are_written_out(tmp_path):
    """They went into HTML, CSV and SVG as they were, and a picture with them is no XML."""
    table = read_texts(text_of("a.csv", tmp_path, "ag\x07e,se\x1bx\n50,m\x9bx\n"))
    assert list(table.columns) == ["ag\\x07e", "se\\x1bx"]
    assert table.columns["se\\x1bx"].tolist() == ["m\\x9bx"]


def _book(tmp_path, **parts):
    """A workbook with other parts."""
    import zipfile

    pytest.importorskip("openpyxl")
    patients().to_excel(tmp_path / "whole.xlsx", index=False)
    with (
        zipfile.ZipFile(tmp_path / "whole.xlsx") as whole,
        zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for name in whole.namelist():
            made.writestr(name, parts.get(name, whole.read(name)))
        for name in parts.keys() - set(whole.namelist()):
            made.writestr(name, parts[name])
    return tmp_path / "a.xlsx"


def test_a_workbook_that_is_large_when_it_is_unpacked(tmp_path, monkeypatch):
    """A few kilobytes of zeros filled the memory."""
    monkeypatch.setattr("hedgerow_clinic.workbook.MOST_UNPACKED", 10_000_000)
    path = _book(tmp_path, **{"xl/more.xml": b"\0" * 20_000_000})
    assert path.stat().st_size < 100_000
    with pytest.raises(DataError, match=r"has 0\.0201 GB when it is unpacked, and at most 0\.01"):
        read_texts(path)


def test_a_workbook_with_a_value_far_off(tmp_path, monkeypatch):
    """A sheet of 17 billion cells, all of them empty but for two."""
    monkeypatch.setattr("hedgerow_clinic.workbook.MOST_CELLS", 100_000)
    cells = "".join(f'<row r="{k}"><c r="A{k}"><v>1</v></c></row>' for k in (1, 1048576))
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    sheet = (
        f'<worksheet {space}><dimension ref="A1:XFD1048576"/><sheetData>{cells}</sheetData>'
        "</worksheet>"
    ).encode()
    with pytest.raises(DataError, match="has more than 100,000 cells in its sheet, empty ones"):
        read_texts(_book(tmp_path, **{"xl/worksheets/sheet1.xml": sheet}))


@pytest.mark.parametrize("path", ["/dev/zero", "pipe"])
def test_what_has_no_end_is_no_table(tmp_path, path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="is no file; name a CSV file"):
        read_texts(tmp_path / path)
