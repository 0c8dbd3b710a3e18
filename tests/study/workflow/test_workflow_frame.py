"""The frame of a script, the plan that a rule declares, and files written whole or not at all."""

from __future__ import annotations

import json
import os
import stat
import time
import types
from pathlib import Path

import pandas as pd
import pytest

from hedgerow.errors import DataError
from hedgerow.files import atomic_file, write_csv, write_json, write_parquet, write_text
from hedgerow_study.experiments.soft.plan import SoftPlan
from hedgerow_study.workflow import run
from hedgerow_study.workflow.jobs.digest import settings_of_job
from hedgerow_study.workflow.jobs.frame import declared_plan, job


@pytest.fixture
def given(tmp_path):
    """The part of Snakemake's object that the frame reads."""
    params = {"step": 0.2, "script": "1" * 64, "code": "0" * 64}
    log, output = tmp_path / "data/logs/tidy/heart.log", tmp_path / "heart.parquet"
    files = {"input": [], "output": [str(output)]}
    return types.SimpleNamespace(rule="tidy", log=[str(log)], params=params, **files)


def test_an_error_of_the_user_is_one_line_with_its_remedy(given, capsys):
    with pytest.raises(SystemExit) as caught, job(given):
        raise DataError("heart: 2 of 270 rows have no class", remedy="drop them")
    assert caught.value.code == 1
    assert capsys.readouterr().err == "tidy: heart: 2 of 270 rows have no class; drop them\n"
    with open(given.log[0]) as log:
        assert "Traceback" in log.read()


def test_another_error_is_one_line_and_points_to_the_log(given, capsys):
    with pytest.raises(SystemExit) as caught, job(given):
        raise ValueError("one line\nand another")
    assert caught.value.code == 1
    shown = capsys.readouterr().err
    assert shown.startswith("tidy: ValueError: one line and another; the traceback is in ")
    assert shown.count("\n") == 1


def test_a_job_that_succeeds_leaves_a_log_and_says_nothing(given, capsys):
    with job(given):
        pass
    assert capsys.readouterr().err == ""
    assert os.path.getsize(given.log[0]) == 0


def recorded(given) -> pd.Series:
    records = Path(given.log[0]).parents[2] / "jobs"
    return pd.read_csv(records / "tidy/heart.tsv", sep="\t").loc[0]


def test_beside_the_log_stands_what_the_job_took(given):
    with job(given):
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
    took = recorded(given)
    assert 0.25 < took["cpu_time"] < 3 and took["s"] > 0.25
    assert 10 < took["max_rss"] < 10_000


def test_a_record_says_of_which_settings_it_is(given):
    with job(given):
        pass
    assert recorded(given)["settings"] == settings_of_job({"step": 0.2})


def test_a_job_that_fails_has_a_record_too(given, capsys):
    with pytest.raises(SystemExit), job(given):
        raise DataError("no rows")
    took = recorded(given)
    assert took["s"] >= 0
    assert pd.isna(took["settings"])  # it says nothing of a whole job


def test_a_plan_shows_only_what_its_rule_declares():
    plan = declared_plan(SoftPlan, {"step": 0.2, "seed": 7}, ["wine"])
    assert plan.step == 0.2 and plan.seed == 7 and plan.datasets == ("wine",)
    with pytest.raises(AttributeError, match="`window`, which its rule does not declare"):
        _ = plan.window


# ------------------------------------------------------------------------------- whole files


FRAME = pd.DataFrame({"b": [0.1, 1 / 3], "a": ["x", None]})


@pytest.mark.parametrize(
    ("write", "content"),
    [(write_text, "text\n"), (write_json, {"b": 1}), (write_parquet, FRAME), (write_csv, FRAME)],
)
def test_files_are_whole_and_the_same_each_time(tmp_path, write, content):
    path = tmp_path / "new" / "file.out"
    write(path, content)
    first = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) & 0o400
    write(path, content)
    assert path.read_bytes() == first
    assert [p.name for p in path.parent.iterdir()] == ["file.out"]


def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")
    with pytest.raises(RuntimeError), atomic_file(path) as beside:
        beside.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_numbers_in_a_csv_come_back_as_they_were(tmp_path):
    write_csv(tmp_path / "t.csv", FRAME)
    assert pd.read_csv(tmp_path / "t.csv")["b"].tolist() == FRAME["b"].tolist()


# ------------------------------------------------------------------------------ locks of runs


@pytest.fixture
def lock(tmp_path):
    """The lock that a killed Snakemake has left."""
    file = tmp_path / run.LOCKS / "0.input.lock"
    write_text(file, "data/tidy/wine.parquet\n")
    return file


def test_the_lock_of_a_dead_run_is_removed_where_nobody_is_at_work(tmp_path, lock):
    assert run.release(tmp_path, alone=True) and not lock.exists()
    assert not run.release(tmp_path, alone=True), "there is nothing to release"


def test_without_locks_of_the_system_a_locked_folder_is_told_in_one_line(
    tmp_path, lock, monkeypatch, capsys
):
    monkeypatch.setattr(run, "fcntl", None)
    monkeypatch.chdir(tmp_path)
    assert run.main(["--cores", "1"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "snakemake --unlock" in said and lock.exists()


def test_json_is_sorted(tmp_path):
    write_json(tmp_path / "x.json", {"b": 1, "a": [2]})
    assert list(json.loads((tmp_path / "x.json").read_text())) == ["a", "b"]
