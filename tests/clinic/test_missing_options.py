"""A command that lacks options is told all of them at once, with a command to copy."""

from __future__ import annotations

import re
import shlex

import lifelines.datasets as datasets
import numpy as np
import pandas as pd
import pytest
from clinic.made import patients, written

from hedgerow.cli import main


def said(folder, table, capsys, *options):
    path = written(folder / "women.csv", table)
    assert main(["survival", str(path), *options]) == 1
    return capsys.readouterr().err


def test_all_options_at_once_and_a_command_that_runs(tmp_path, capsys, monkeypatch):
    """It took four calls, each of which named one option."""
    monkeypatch.chdir(tmp_path)
    lines = said(tmp_path, datasets.load_gbsg2(), capsys).splitlines()
    assert lines[0] == "hedgerow: 4 options are missing, and nothing was written"
    for line, start in zip(
        lines[1:6],
        (
            "--event COLUMN, which says whether the event came: maybe `cens`, which holds '0' (",
            "--time COLUMN, the follow-up (or --start and --end, its first and last date): maybe",
            "--unit of the times, which nothing tells: maybe days: the longest is then 7.28 years",
            "--out FOLDER, to be written: maybe women_groups",
            "--horizon TIME, by which the event is predicted: maybe 3y: 48 % were followed as",
        ),
        strict=True,
    ):
        assert line.startswith(start)
    command = shlex.split(lines[6].removeprefix("check it, and copy it: "))
    assert command[:2] == ["hedgerow", "survival"]
    assert not list(tmp_path.glob("women_groups"))
    assert main([*command[1:], "--bootstraps", "0", "--quiet"]) == 0
    assert (tmp_path / "women_groups/index.html").is_file()


def test_days_or_months_are_left_open(tmp_path, capsys):
    """mgus2: 424 months, 35 years; the command to copy said days, which made 14 months of them."""
    random = np.random.default_rng([71, 1])
    frame = pd.DataFrame({"age": random.integers(40, 90, 200), "futime": range(225, 425)})
    text = said(tmp_path, frame.assign(death=random.integers(0, 2, 200)), capsys)
    last = text.splitlines()[-1]
    assert last.startswith("complete it: ") and "--unit UNIT" in last and "--horizon" not in last
    assert "days: the longest is then 1.16 years" in text and "35.3 as months" in text


@pytest.mark.parametrize(
    ("load", "words"),
    [
        ("lung", "--event status --time time --unit days"),
        ("rossi", "--event arrest --time week --out"),
        ("larynx", "--event death --time time --unit years"),
        ("kidney_transplant", "--event death --time time --unit days"),
        ("leukemia", "--event status --time t --unit"),
    ],
)
def test_public_cohorts(tmp_path, capsys, load, words):
    text = said(tmp_path, getattr(datasets, f"load_{load}")(), capsys)
    assert words in text.splitlines()[-1]


def test_what_is_given_is_kept(tmp_path, capsys):
    given = ("--time", "years", "--horizon", "5y", "--weights", "--not-input", "sex")
    text = said(tmp_path, patients(), capsys, *given)
    assert "2 options are missing" in text and "--time COLUMN" not in text
    last = text.splitlines()[-1]
    assert "--event status" in last and "--not-input sex" in last and "--weights" in last
    assert re.search("--time years.*--horizon 5y", last) and "parser" not in last


def test_dates_in_the_place_of_a_time(tmp_path, capsys):
    table = patients().drop(columns=["years", "surgery"])
    first = pd.Timestamp("2010-01-01") + pd.to_timedelta(np.arange(240), "D")
    table["birth_date"] = "1950-01-01"
    table["last_contact"] = (first + pd.Timedelta("900D")).strftime("%Y-%m-%d")
    table["operation"] = first.strftime("%d.%m.%Y")
    last = said(tmp_path, table, capsys).splitlines()[-1]
    assert "--start operation --end last_contact" in last


def test_nothing_looks_like_it(tmp_path, capsys):
    table = patients().rename(columns={"years": "x", "status": "y"}).replace("dead", "zzz")
    text = said(tmp_path, table.replace("alive", "qqq"), capsys)
    assert text.count("no column looks like it") == 2 and "complete it: hedgerow survival" in text
