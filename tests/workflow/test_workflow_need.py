"""What a run will take: from records of its jobs, of jobs like them, or of none."""

from __future__ import annotations

import json
import shutil
from types import SimpleNamespace

import pytest
from throwaway import ROOT

from hedgerow.cli import main
from hedgerow.workflow import graph, need
from hedgerow.workflow.need import (
    Known,
    configuration_of,
    forecast,
    known_in,
    on_the_clock,
    to_take,
)
from hedgerow.workflow.records import Need, Recorded, records_in, repeats

MINE, OTHER = "a" * 64, "b" * 64


def planned(*ids):
    """Jobs with the same settings, each with an output of its name."""
    return {id: {"settings": MINE, "outputs": [id], "inputs": []} for id in ids}


@pytest.fixture(autouse=True)
def nothing_beside(monkeypatch):
    """What a run takes beside its jobs was measured, and may change."""
    monkeypatch.setattr(need, "START", 0)
    monkeypatch.setattr(need, "EACH", 0)


# --------------------------------------------------------------------------------- one job


LEARN = {"soft_learn:pima,000-004": Need(50, 300, 2), "soft_learn:wine,000-001": Need(4, 100, 1)}


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("soft_learn:pima,000-004", Need(50, 300, 2)),
        ("soft_learn:pima,005-009", Need(50, 300, 2)),  # the same data set
        ("soft_learn:pima,005-005", Need(10, 300, 0.4)),  # fewer repeats of it
        ("soft_learn:iris,000-004", Need(30, 300, 2.25)),  # the mean of others, the largest memory
        ("soft_tables", None),
    ],
)
def test_a_job_counts_as_it_or_the_nearest_one_did(id, expected):
    told = Known({}, LEARN).of(id, MINE)
    assert told == (expected and (expected, False))
    records = {id: Recorded(took, MINE) for id, took in LEARN.items()}
    assert Known(records, {}).of(id, MINE) == told


def test_other_settings_are_a_guess_and_told_only_where_there_is_nothing_else():
    """2,000 iterations say little of 200,000."""
    here = {"search_run:pima,000-000": Recorded(Need(3, 100), OTHER)}
    assert Known(here, {}).of("search_run:pima,000-000", MINE) == (Need(3, 100), True)
    paper = {"search_run:wdbc,000-000": Need(300, 200)}
    assert Known(here, paper).of("search_run:pima,000-000", MINE) == (Need(300, 200), False)


def test_a_record_of_a_whole_data_set_is_shared_by_the_chunks_of_it():
    """Each of 30 chunks counted as the job that had held all 30: 23 h in the place of 10."""
    kept = {"optimal_run:wine": Need(600, 300, 6)}
    jobs = planned(
        "optimal_run:wine,000-003", "optimal_run:wine,004-004", "optimal_run:wine,005-005"
    )
    found = forecast(jobs, Known({}, kept), 1).jobs
    assert [found[id].seconds for id in jobs] == [400, 100, 100]
    assert [found[id].disk for id in jobs] == [4, 1, 1]


def test_a_record_of_this_folder_goes_before_one_of_the_reference():
    here = {"tidy:wine": Recorded(Need(2, 100), MINE)}
    assert Known(here, {"tidy:wine": Need(9, 900)}).of("tidy:wine", MINE) == (Need(2, 100), False)


def test_repeats_are_told_by_the_name_of_a_chunk():
    assert [repeats(name) for name in ("soft_learn:pima,000-004", "pima_010-010")] == [5, 1]
    assert repeats("soft_tables") is None and repeats("tidy:yeast_0256_vs_3789") is None


# ---------------------------------------------------------------------------------- a run


def test_the_clock_knows_cores_and_what_waits_for_what():
    jobs = planned("tidy:wine", "tidy:iris", "soft_learn:wine", "soft_tables")
    jobs["soft_learn:wine"]["inputs"] = ["tidy:wine", "data/published/x.csv"]
    jobs["soft_tables"]["inputs"] = ["soft_learn:wine", "tidy:iris"]
    needs = {id: Need(seconds) for id, seconds in zip(jobs, (1, 5, 7, 2), strict=True)}
    assert [on_the_clock(jobs, needs, cores) for cores in (1, 2, 100)] == [15, 10, 10]
    # Until that is known of a job, others have its core, and who reads from it waits.
    assert on_the_clock(jobs, needs, 2, {"soft_learn:wine": 3}) == 13
    assert on_the_clock(jobs, needs, 1, {"tidy:wine": 4}) == 15


def test_what_is_not_on_record_counts_as_the_mean_and_is_told():
    jobs = planned("soft_learn:pima,000-004", "soft_learn:wine,000-001", "search_run:pima,000-000")
    found = forecast(jobs, Known({}, LEARN), 2)
    assert found.jobs["search_run:pima,000-000"] == Need(27)
    assert found.seconds == 50 + 4 + 27
    assert found.at_once() == 400
    first, second = found.lines()
    assert first == (
        "3 jobs to run: by what such jobs took before, 81 s of processor time, 50 s on 2 cores, "
        "up to 400 MiB of memory at once, 3 MiB of disk."
    )
    assert second == "1 job without record counts as the mean of others."


def test_what_learns_counts_as_what_learns_does_and_a_table_as_a_table():
    """200 jobs that read data or draw took a third of the time that was told."""
    jobs = planned(*LEARN, "search_run:pima,000-000", "tidy:pima", "search_tables", "soft_tables")
    found = forecast(jobs, Known({}, {**LEARN, "soft_tables": Need(2)}), 2)
    assert [found.jobs[id].seconds for id in jobs] == [50, 4, 27, 2, 2, 2]


def test_a_guess_is_told_with_its_share():
    here = {"search_run:pima,000-000": Recorded(Need(1000, 100, 1), OTHER)}
    (_, said) = forecast(planned(*here), Known(here, {}), 1).lines()
    assert said == "100% of the time is a guess, from jobs with other settings."


def test_disk_that_is_not_known_is_told():
    here = {id: Recorded(Need(1, 1, 0), MINE) for id in ("tidy:wine", "tidy:iris")}
    first, second = forecast(planned(*here), Known(here, {}), 1).lines()
    assert "disk" not in first and second == "The disk that 2 of them need is not known."


def test_without_any_record_no_figure_is_told():
    jobs = planned("tidy:wine", "tidy:iris")
    nothing = Known({}, {})
    said = "2 jobs to run: there is no record yet of what such jobs take"
    assert forecast(jobs, nothing, 2, "mine").lines() == [f"{said}."]
    (line,) = forecast(jobs, nothing, 2, "default").lines()
    assert line == f"{said}; README says what the default configuration took elsewhere."


def test_jobs_are_told_by_experiment_in_the_order_of_the_report():
    jobs = planned("report", "soft_beyond_tables", "search_run:pima,000-000", "tidy:pima")
    found = forecast(jobs, Known({}, LEARN), 1).by_experiment()
    assert list(found) == ["data", "soft_beyond", "search", "report"]


# ----------------------------------------------------------------------------- in a project


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project with the record of a job, and a part of the reference."""
    for part in ("config", "workflow/rules"):
        shutil.copytree(ROOT / part, tmp_path / part)
    names, values = ("s", "cpu_time", "max_rss", "made", "settings"), (9, 2, 100, 0.5, MINE)
    for name in ("soft/learn/pima_000-001", "soft/tables"):
        file = tmp_path / f"data/jobs/{name}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\t".join(names) + "\n" + "\t".join(map(str, values)) + "\n")
    manifest = {"settings": {"configuration": "paper"}, "archive": MINE}
    jobs = {"soft_learn:wine,000-004": {"seconds": 60.0, "mib": 300.0, "disk": 1.5}}
    jobs["soft_learn:iris,000-004"] = {"seconds": 60.0, "mib": 300.0}  # before disk was recorded
    part = tmp_path / "data/reference/soft/parts/wine.json"
    part.parent.mkdir(parents=True)
    part.write_text(json.dumps({**manifest, "jobs": jobs}))
    merged = {"outputs": {}, "jobs": {"soft_claims": {"seconds": 1, "mib": 2, "disk": 3}}}
    (part.parents[1] / "manifest.json").write_text(json.dumps({**manifest, **merged}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_records_are_found_by_the_ids_of_their_jobs(folder):
    took = Recorded(Need(2, 100, 0.5), MINE)
    assert records_in(folder) == {"soft_learn:pima,000-001": took, "soft_tables": took}


def test_a_record_without_settings_is_one_of_others(folder):
    """Of a job that failed, or of an earlier version."""
    (folder / "data/jobs/soft/tables.tsv").write_text("s\tcpu_time\tmax_rss\n3\tNA\tNA\n")
    assert records_in(folder)["soft_tables"] == Recorded(Need(3), "")
    assert known_in(folder, "paper").of("soft_tables", MINE) == (Need(3), True)


def test_the_reference_tells_of_its_own_configuration_only(folder):
    wine = "soft_learn:wine,000-004"
    assert known_in(folder, "paper").of(wine, OTHER) == (Need(60, 300, 1.5), False)
    assert known_in(folder, "paper").of("soft_claims", OTHER) == (Need(1, 2, 3), False)
    assert known_in(folder, "default").of(wine, OTHER) == (Need(5, 100, 1.25), True)


def test_a_configuration_is_known_by_the_name_in_its_file(folder):
    (folder / "more.yaml").write_text("soft: {chunk: 1}\n")
    assert configuration_of(folder, []) == "default"
    assert configuration_of(folder, ["config/paper.yaml", "more.yaml"]) == "paper"


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
    said = to_take(workflow(wine, ("all", {})), "paper")
    assert said[0].startswith("1 job to run: by what such jobs took before, 60 s of processor")
    assert to_take(workflow(("all", {})), "paper") == []
    assert to_take(workflow(wine, local_exec=False), "paper") == []  # a cluster has other cores


def test_the_command(folder, monkeypatch, capsys):
    jobs = planned("soft_learn:wine,000-004", "soft_claims", "tidy:wine")
    asked = []
    plan = {id: {**job, "runs": True} for id, job in jobs.items()}
    monkeypatch.setattr(graph, "planned", lambda *given: asked.append(given) or plan)
    assert main(["plan", "--configfile", "config/paper.yaml", "--cores", "1"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1] == ["data", "1", "1", "s", "1", "s", "–", "–"]
    assert lines[2] == ["soft", "2", "61", "s", "60", "s", "300", "MiB", "4", "MiB"]
    assert lines[4][:4] == ["3", "jobs", "to", "run:"]
    assert asked[0][1] == ["config/paper.yaml"]
    plan.update({id: {**job, "runs": False} for id, job in jobs.items()})
    assert main(["plan"]) == 0
    assert capsys.readouterr().out == "All 3 jobs are up to date: there is nothing to run.\n"


def test_the_command_wants_a_project(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["plan"]) == 1
    assert "this folder is no hedgerow project" in capsys.readouterr().err


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
    assert line.startswith("1 job to run: by what such jobs took before, ") and "disk" in line
    assert "guess" not in again.stderr and "mean" not in again.stderr
