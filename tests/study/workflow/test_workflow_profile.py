"""The profile for clusters: made of records, and such as Snakemake reads it."""

from __future__ import annotations

import importlib
import re

import pytest
import yaml
from made_parts import make_part
from throwaway import ROOT, new_project

from hedgerow_study.workflow.jobs.rules import rules_of
from hedgerow_study.workflow.planning import profile
from hedgerow_study.workflow.planning.profile import DEFAULT_MB, DEFAULT_MINUTES, PROFILE, recorded
from hedgerow_study.workflow.planning.records import Need, records_of_rules

HEAD = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"
RECORDS = records_of_rules(ROOT)


def record(folder, name, seconds, cpu, mib):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEAD}{seconds}\t0:00:00\t{mib}\t0\t0\t0\t0\t0\t0\t{cpu}\n")


def asked(expression: str, attempt: int = 1) -> int:
    times, _, number = expression.partition(" * ")
    assert times == "attempt"
    return attempt * int(number)


@pytest.fixture(scope="module")
def committed():
    return yaml.safe_load((ROOT / PROFILE).read_text("utf-8"))


def test_the_profile_names_every_heavy_rule_and_no_other_one(committed):
    named = committed["set-resources"]
    assert named.keys() <= RECORDS.keys()
    heavy = {rule for rule, path in RECORDS.items() if profile.per_dataset(path)}
    assert {"soft_learn", "search_run", "diverse_trees_run"} <= heavy <= named.keys()
    for need in named.values():
        assert need.keys() == {"mem_mb", "runtime"}
        assert asked(need["mem_mb"]) >= DEFAULT_MB and asked(need["runtime"]) >= DEFAULT_MINUTES


def test_each_rule_is_in_a_group_or_runs_where_snakemake_does(committed):
    here = {name for name, rule in rules_of(ROOT).items() if rule.local}
    assert {"fetch", "manifest"} <= here
    assert committed["groups"].keys() == RECORDS.keys() - here
    assert committed["group-components"].keys() == set(committed["groups"].values())


def test_groups_of_a_paper_and_of_what_goes_beyond_it():
    for rule, group in {
        "soft_learn": "soft",
        "noise_models_numeric": "soft",
        "soft_tables": "soft_shown",
        "tidy": "tables",
        "fetch": None,
        "manifest": None,
    }.items():
        assert profile.group_of(rule, RECORDS[rule]) == group, rule


def test_a_group_learns_for_as_long_as_is_said():
    groups = {"a_learn": "a", "b_learn": "b", "c_learn": "c", "tidy": "tables", "a_page": "a_shown"}
    took = {
        "a_learn:iris,000-004": Need(200, 1),
        "a_learn:iris,005-009": Need(200, 1),
        "a_learn:wine,000-004": Need(100, 1),
        "a_learn:wine,005-009": Need(100, 1),
        "b_learn:wine": Need(9000, 1),
    }
    found = profile.components(groups, took)
    assert found == {"a": 60 * profile.GROUP_MINUTES // 300, "b": 1, "c": 1} | {
        "tables": profile.TABLES,
        "a_shown": profile.SHOWN,
    }


def test_what_the_file_says_is_kept_where_nothing_else_is_known():
    found = {"long": Need(61, 100), "none": Need()}
    assert profile.parse_needs(profile.profile(found, ["long", "none"])) == {"long": Need(61, 100)}


def test_snakemake_reads_the_profile(committed, tmp_path):
    """All but the executor, whose plugin is not installed here."""
    importlib.import_module("snakemake.api")  # which imports the others in an order that they bear
    cli = importlib.import_module("snakemake.cli")
    text = (ROOT / PROFILE).read_text("utf-8")
    text = re.sub(r"^(executor|slurm-status-command): .*\n", "", text, flags=re.MULTILINE)
    (tmp_path / "config.yaml").write_text(text)
    read = cli.get_argument_parser(profiles=[str(tmp_path)]).parse_args([])

    def plain(resources):
        return {key: resources[key].raw for key in ("mem_mb", "runtime")}

    assert (read.jobs, read.latency_wait, read.cores, read.retries) == (100, 60, 1, profile.RETRIES)
    assert read.groups == committed["groups"]
    assert read.group_components == committed["group-components"]
    assert plain(read.default_resources) == committed["default-resources"]
    assert {k: plain(v) for k, v in read.set_resources.items()} == committed["set-resources"]


def test_a_record_is_of_processor_time_and_of_a_whole_chunk(tmp_path):
    path = "data/jobs/soft/learn/{dataset}_{chunk}.tsv"
    assert recorded(tmp_path, path, 5) == Need()
    record(tmp_path, "data/jobs/soft/learn/pima_000-000.tsv", 90, 10, 200)
    assert recorded(tmp_path, path, 5) == Need(50, 200)
    record(tmp_path, "data/jobs/soft/learn/wine_000-004.tsv", 90, 60, 100)
    assert recorded(tmp_path, path, 5) == Need(60, 200)
    # A job that was over before Snakemake looked.
    record(tmp_path, "data/jobs/soft/tables.tsv", 0.4, "NA", "NA")
    assert recorded(tmp_path, "data/jobs/soft/tables.tsv") == Need(0.4, 0)


def test_margins_defaults_and_rules_without_record():
    found = {"long": Need(61, 100), "large": Need(1, 1000), "small": Need(1, 1), "none": Need()}
    text = profile.profile(found, ["none"])
    assert yaml.safe_load(text)["set-resources"] == {
        "large": {"mem_mb": "attempt * 3700", "runtime": f"attempt * {DEFAULT_MINUTES}"},
        "long": {"mem_mb": f"attempt * {DEFAULT_MB}", "runtime": "attempt * 6"},
        "none": {"mem_mb": "attempt * 3700", "runtime": "attempt * 6"},
    }
    assert "  long: # 61 s, 100 MiB\n" in text and "  none: # no record\n" in text


def test_the_command_writes_the_profile(tmp_path, monkeypatch, capsys):
    """Of records in a project, and of those that the parts of a reference have kept."""
    project = new_project(tmp_path / "project").path
    jobs = {"search_run:pima,000-000": {"seconds": 445.8, "mib": 343.4}}
    make_part(project / "data/reference/search/parts", "pima", {}, experiment="search", jobs=jobs)
    record(tmp_path, "data/jobs/soft_sweep/grow/pima_000-004.tsv", 300, 120, 250)
    monkeypatch.chdir(project)
    assert profile.main([str(tmp_path)]) == 0
    assert "without record" in capsys.readouterr().out
    named = yaml.safe_load((project / PROFILE).read_text("utf-8"))["set-resources"]
    assert named["soft_sweep_grow"]["runtime"] == "attempt * 10"
    minutes = profile.TIMES_SECONDS * 445.8 / 60
    assert 0 <= asked(named["search_run"]["runtime"]) - minutes < 1  # rounded up
