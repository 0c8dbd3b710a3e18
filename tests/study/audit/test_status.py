"""Reasons in words; on real runs: test_workflow_audit.py."""

from __future__ import annotations

import pytest
from audit.made_up import JOBS, change, record_jobs

from hedgerow import cli
from hedgerow_study.audit import status as module
from hedgerow_study.audit.status import experiment_of, status
from hedgerow_study.experiments import WORDS

OLD = "'" + 64 * "a" + "'"


def planned(**why):
    """The plan of the made-up project, some jobs with reasons; what hangs on them runs as well."""
    plan = {id: {**job, "runs": False, "after": [], "why": {}} for id, job in JOBS.items()}
    plan["soft_tables"] = plan.pop("tables") | {"rule": "soft_tables"}
    for id, own in why.items():
        plan[id.replace("__", ":")] |= {"runs": True, "why": own}
    if plan["learn:a"]["runs"]:
        plan["soft_tables"] |= {"runs": True, "after": ["learn:a"]}
    return plan


@pytest.fixture
def asked(project, monkeypatch):
    """Lines for a plan."""

    def ask(plan):
        monkeypatch.setattr(module, "planned", lambda root, files, settings: plan)
        return status(project, trust=True).lines()

    return ask


def test_nothing_is_out_of_date(asked):
    assert asked(planned()) == ["All 3 jobs are up to date (config/default.yaml)."]


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ({"data": ["data/published/t.csv"]}, "data changed: data/published/t.csv"),
        ({"missing": ["reports/tables/t.csv"]}, "files are missing: reports/tables/t.csv"),
        ({"script": True}, "code changed: the script of soft_tables"),
        ({"data": ["workflow/rules/soft.smk"]}, "code changed: workflow/rules/soft.smk"),
        (
            {"params": {"before": [OLD], "now": [repr(f"{'tables':0<64}")]}},
            "code changed: soft_tables",
        ),
        (
            {"params": {"before": ["{'step': 0.1, 'n': 3}"], "now": ["{'step': 0.2, 'n': 3}"]}},
            "settings changed: `step` is 0.2, was 0.1",
        ),
        ({"inputs": ["data/tidy/b.parquet"]}, "settings changed: soft_tables reads other files"),
        ({"environment": True}, "the software environment changed: environment.yml"),
        (
            {"incomplete": ["reports/tables/t.csv"]},
            "a run was stopped while it made them: reports/tables/t.csv",
        ),
        ({}, "Snakemake says so: `snakemake --dry-run` tells more"),
    ],
)
def test_a_reason_in_words(asked, why, words):
    assert asked(planned(soft_tables=why)) == [
        f"soft: 1 job is out of date, {words}",
        "1 of 3 jobs need to be rerun (config/default.yaml).",
    ]


def test_a_checkout_that_differs_from_its_commit_is_no_changed_setting():
    """What the pages tell of it is a mapping, as settings are."""
    job = {"rule": "report", "code": 64 * "c"}
    now = ["{'said': 'Made by a changed checkout.', 'files': ['src/a.py']}"]
    assert module._parameter_causes(job, [], ["{}"], now) == {("code", module.CHECKOUT)}
    assert module._parameter_causes({**job, "rule": "crate"}, [], [OLD], [repr(64 * "d")]) == {
        ("code", module.CHECKOUT)
    }


def test_what_hangs_on_a_change_comes_under_its_reason(asked):
    lines = asked(planned(learn__a={"data": ["data/raw/a/source.json"]}))
    assert lines == [
        "soft: 1 job is out of date, data changed: data/raw/a/source.json",
        "report: 1 job is out of date, data changed: data/raw/a/source.json",
        "2 of 3 jobs need to be rerun (config/default.yaml).",
    ]


def test_an_output_that_is_not_what_its_job_wrote_is_told(asked, project):
    record_jobs(project)
    change(project / "data/trees/a.parquet")
    lines = asked(planned(learn__a={"incomplete": ["data/trees/a.parquet"]}))
    assert lines == [
        "soft: 1 job is out of date, files are not as the run left them: data/trees/a.parquet",
        "report: 1 job is out of date, files are not as the run left them: data/trees/a.parquet",
        "2 of 3 jobs need to be rerun (config/default.yaml).",
    ]


def test_an_input_with_an_older_time_is_the_cause_of_its_readers(asked, project):
    record_jobs(project)
    change(project / "data/published/t.csv")
    lines = asked(planned(soft_tables={"incomplete": ["reports/tables/t.csv"]}))
    assert lines[0] == "soft: 1 job is out of date, data changed: data/published/t.csv"


def test_other_package_versions_are_told_though_snakemake_does_not_know_them(asked, monkeypatch):
    said = ["numpy is 2.0, was 1.0."]
    monkeypatch.setattr(module, "changed_packages", lambda manifest: said)
    (line,) = asked(planned())
    assert "the software environment changed: numpy is 2.0, was 1.0." in line


def test_the_experiment_of_a_rule():
    assert {word: experiment_of(f"{word}_tables") for word in WORDS} == {w: w for w in WORDS}
    assert [experiment_of(rule) for rule in ("fetch", "tidy", "report", "manifest")] == [
        *("data", "data", "report", "report")
    ]


def test_the_command(project, monkeypatch, capsys, tmp_path):
    plans = iter([planned(), planned(soft_tables={"data": ["data/published/t.csv"]})])
    monkeypatch.setattr(module, "planned", lambda root, files, settings: next(plans))
    command = ["status", str(project), "--trust"]
    assert cli.main(command) == 0
    assert "up to date" in capsys.readouterr().out
    assert cli.main(command) == 1
    assert "soft: 1 job is out of date" in capsys.readouterr().out
    assert cli.main([*command, "--configfile", "config/none.yaml"]) == 1
    assert "config/none.yaml" in capsys.readouterr().err
    assert cli.main(["status", str(tmp_path)]) == 1
    assert "is no hedgerow project" in capsys.readouterr().err
