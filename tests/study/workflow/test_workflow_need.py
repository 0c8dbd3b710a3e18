"""What a run will take: from records of its jobs, of jobs like them, or of none."""

from __future__ import annotations

import json
import shutil
from types import SimpleNamespace

import pytest
from throwaway import ROOT

from hedgerow_study.workflow.planning.records import (
    Need,
    Recorded,
    TimeRecords,
    forecast_lines,
    records_in,
    records_of,
    repeats,
    to_take,
)

MINE, OTHER = "a" * 64, "b" * 64


def planned(*ids):
    """Jobs with the same settings."""
    return {id: {"settings": MINE} for id in ids}


# --------------------------------------------------------------------------------- one job


LEARN = {"soft_learn:pima,000-004": 50.0, "soft_learn:wine,000-001": 4.0}


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("soft_learn:pima,000-004", 50),
        ("soft_learn:pima,005-009", 50),  # the same data set
        ("soft_learn:pima,005-005", 10),  # fewer repeats of it
        ("soft_learn:iris,000-004", 30),  # the mean of others
        ("soft_tables", None),
    ],
)
def test_a_job_counts_as_it_or_the_nearest_one_did(id, expected):
    told = TimeRecords({}, LEARN).of(id, MINE)
    assert told == (expected and (expected, False))
    records = {id: Recorded(Need(took, 100), MINE) for id, took in LEARN.items()}
    assert TimeRecords(records, {}).of(id, MINE) == told


def test_other_settings_are_a_guess_and_told_only_where_there_is_nothing_else():
    """2,000 iterations say little of 200,000."""
    here = {"search_run:pima,000-000": Recorded(Need(3, 100), OTHER)}
    assert TimeRecords(here, {}).of("search_run:pima,000-000", MINE) == (3, True)
    paper = {"search_run:wdbc,000-000": 300}
    assert TimeRecords(here, paper).of("search_run:pima,000-000", MINE) == (300, False)


def test_a_record_of_a_whole_data_set_is_shared_by_the_chunks_of_it():
    """Each of 30 chunks counted as the job that had held all 30: 23 h in the place of 10."""
    known = TimeRecords({}, {"optimality_gap_run:wine": 600})
    chunks = {"000-003": 400, "004-004": 100, "005-005": 100}
    for chunk, seconds in chunks.items():
        assert known.of(f"optimality_gap_run:wine,{chunk}", MINE, whole=6) == (seconds, False)
    jobs = planned(*(f"optimality_gap_run:wine,{chunk}" for chunk in chunks))
    assert "10 min of processor time" in forecast_lines(jobs, known, 1)[0]


def test_a_record_of_this_folder_goes_before_one_of_the_reference():
    here = {"tidy:wine": Recorded(Need(2, 100), MINE)}
    assert TimeRecords(here, {"tidy:wine": 9}).of("tidy:wine", MINE) == (2, False)


def test_repeats_are_told_by_the_name_of_a_chunk():
    assert [repeats(name) for name in ("soft_learn:pima,000-004", "pima_010-010")] == [5, 1]
    assert repeats("soft_tables") is None and repeats("tidy:yeast_0256_vs_3789") is None


# ---------------------------------------------------------------------------------- a run


def test_what_is_not_on_record_counts_as_the_mean_and_is_told():
    jobs = planned("soft_learn:pima,000-004", "soft_learn:wine,000-001", "search_run:pima,000-000")
    first, second = forecast_lines(jobs, TimeRecords({}, LEARN), 2)
    assert first == (
        "3 jobs to run: by what such jobs took before, 81 s of processor time, 50 s on 2 cores."
    )
    assert second == "1 job without record counts as the mean of others."
    assert "81 s on 1 core." in forecast_lines(jobs, TimeRecords({}, LEARN), 1)[0]


def test_what_learns_counts_as_what_learns_does_and_a_table_as_a_table():
    """200 jobs that read data or draw took a third of the time that was told."""
    jobs = planned(*LEARN, "search_run:pima,000-000", "tidy:pima", "search_tables", "soft_tables")
    first, _ = forecast_lines(jobs, TimeRecords({}, {**LEARN, "soft_tables": 2}), 2)
    assert f"{50 + 4 + 27 + 3 * 2} s of processor time" in first


def test_a_guess_is_told_with_its_share():
    here = {"search_run:pima,000-000": Recorded(Need(1000, 100), OTHER)}
    (_, told) = forecast_lines(planned(*here), TimeRecords(here, {}), 1)
    assert told == "100 % of the time is a guess, from jobs with other settings."


def test_without_any_record_no_figure_is_told():
    jobs = planned("tidy:wine", "tidy:iris")
    nothing = TimeRecords({}, {})
    told = "2 jobs to run: there is no record yet of what such jobs take"
    assert forecast_lines(jobs, nothing, 2, "mine") == [f"{told}."]
    (line,) = forecast_lines(jobs, nothing, 2, "default")
    assert line == f"{told}; README says what the default configuration took elsewhere."


# ----------------------------------------------------------------------------- in a project


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project with the record of a job, and a part of the reference."""
    for part in ("config", "workflow/rules"):
        shutil.copytree(ROOT / part, tmp_path / part)
    names, values = ("s", "cpu_time", "max_rss", "settings"), (9, 2, 100, MINE)
    for name in ("soft/learn/pima_000-001", "soft/tables"):
        file = tmp_path / f"data/jobs/{name}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\t".join(names) + "\n" + "\t".join(map(str, values)) + "\n")
    manifest = {"settings": {"configuration": "paper"}, "archive": MINE}
    jobs = {"soft_learn:wine,000-004": {"seconds": 60.0, "mib": 300.0}}
    # Earlier parts say what was left on the disk as well.
    jobs["soft_learn:iris,000-004"] = {"seconds": 60.0, "mib": 300.0, "disk": 1.5}
    part = tmp_path / "data/reference/soft/parts/wine.json"
    part.parent.mkdir(parents=True)
    part.write_text(json.dumps({**manifest, "jobs": jobs}))
    merged = {"outputs": {}, "jobs": {"soft_claims": {"seconds": 1, "mib": 2}}}
    (part.parents[1] / "manifest.json").write_text(json.dumps({**manifest, **merged}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_records_are_found_by_the_ids_of_their_jobs(folder):
    took = Recorded(Need(2, 100), MINE)
    assert records_in(folder) == {"soft_learn:pima,000-001": took, "soft_tables": took}


def test_a_record_without_settings_is_one_of_others(folder):
    """Of a job that failed, or of an earlier version."""
    (folder / "data/jobs/soft/tables.tsv").write_text("s\tcpu_time\tmax_rss\n3\tNA\tNA\n")
    assert records_in(folder)["soft_tables"] == Recorded(Need(3), "")
    assert records_of(folder, "paper").of("soft_tables", MINE) == (3, True)


def test_the_reference_tells_of_its_own_configuration_only(folder):
    wine = "soft_learn:wine,000-004"
    assert records_of(folder, "paper").of(wine, OTHER) == (60, False)
    assert records_of(folder, "paper").of("soft_claims", OTHER) == (1, False)
    assert records_of(folder, "default").of(wine, OTHER) == (5, True)


def workflow(*jobs, **more):
    named = [
        SimpleNamespace(
            rule=SimpleNamespace(name=rule, norun=rule == "all"),
            wildcards_dict=wildcards,
            params={},
            input=[],
            output=[rule],
        )
        for rule, wildcards in jobs
    ]
    dag = SimpleNamespace(needrun_jobs=lambda: named)
    return SimpleNamespace(**{"local_exec": True, "cores": 2, "dag": dag, **more})


def test_a_run_says_what_it_will_take_before_it_starts(folder):
    wine = ("soft_learn", {"dataset": "wine", "chunk": "000-004"})
    told = to_take(workflow(wine, ("all", {})), "paper")
    assert told[0].startswith("1 job to run: by what such jobs took before, 60 s of processor")
    assert to_take(workflow(("all", {})), "paper") == []
    assert to_take(workflow(wine, local_exec=False), "paper") == []  # a cluster has other cores


@pytest.mark.runs
def test_a_job_that_ran_before_is_no_guess(project):
    """Its record has the settings that its plan has."""
    table = "data/tidy/iris.parquet"
    first = project.forked("--cores", "1", table)
    assert first.returncode == 0, first.stderr
    assert "2 jobs to run: there is no record yet of what such jobs take;" in first.stderr
    (project.path / table).unlink()
    again = project.forked("--cores", "1", table)
    assert again.returncode == 0, again.stderr
    (line,) = (line for line in again.stderr.splitlines() if "to run" in line)
    assert line.startswith("1 job to run: by what such jobs took before, ")
    assert "guess" not in again.stderr and "mean" not in again.stderr
