"""What is planned, without running it; and the linter of Snakemake."""

from __future__ import annotations

import functools
import re

import pytest
from throwaway import ROOT, SMOKE
from wiring import ABOVE, READ_AGAIN, RULES, n_jobs, sets_of

from hedgerow.data import load_registry
from hedgerow_study.experiments import PAPERS, WORDS
from hedgerow_study.workflow.jobs.steps import having
from hedgerow_study.workflow.showing.site import paths_of

pytestmark = pytest.mark.runs


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A project in which nothing has run; plans leave it as it is."""
    from throwaway import new_project

    return new_project(tmp_path_factory.mktemp("planned") / "project")


@functools.cache
def plan_of(project, configuration):
    """The dry run of a configuration, which several tests read."""
    return project.forked("--dry-run", "--configfile", f"config/{configuration}.yaml")


def jobs(plan):
    """The messages of all jobs of a plan; they name the data set and the chunk."""
    assert plan.returncode == 0, plan.stderr
    text = plan.stdout + plan.stderr
    return sorted(re.findall(r"^Job \d+: (.+)$", text, flags=re.MULTILINE))


@pytest.mark.parametrize("configuration", ["default", "smoke", "paper"])
def test_both_entries_plan_the_same_jobs(planned, configuration):
    arguments = (
        () if configuration == "default" else ("--configfile", f"config/{configuration}.yaml")
    )
    root = jobs(plan_of(planned, configuration))
    assert root == jobs(planned.forked("--dry-run", "-s", "workflow/Snakefile", *arguments))
    assert "The manifest" in root and "Reading and checking haberman" in root


def n_files(names):
    """Data files of some sets: a variant reads that of its parent."""
    registry = load_registry(ROOT / "config/datasets.yaml")
    return len({registry[name].base.key for name in names})


@pytest.mark.parametrize("configuration", ["default", "extensions", "smoke", "paper"])
def test_the_plan_follows_from_the_configuration(planned, configuration):
    """`make reproduce` and `make paper` run the papers alone."""
    words = PAPERS if configuration in ("default", "paper") else WORDS
    used = set().union(*(sets_of(word, configuration) for word in words))
    wanted = {"fetch": n_files(used), "tidy": len(used), **dict.fromkeys(ABOVE, 1)}
    for word in words:
        wanted |= n_jobs(word, configuration, alone=words == PAPERS)
    assert planned.of_plan(plan_of(planned, configuration)) == wanted


@pytest.mark.parametrize("kind", ["tables", "figures", "claims", "page"])
def test_what_an_experiment_shows_is_made_by_a_rule_of_that_name(kind):
    assert [word for word in WORDS if f"{word}_{kind}" in RULES[word]] == having(kind)


#: Rules of other experiments that a target needs. All others stand on their own.
READ = {
    "soft_sweep": {"soft_noise"},
    "noise_models": {"soft_noise", "soft_calibrate"},
    "analytic_choices": READ_AGAIN,
}


@pytest.mark.parametrize("word", WORDS)
def test_an_experiment_is_a_target_without_its_page(planned, word):
    plan = planned.planned(word, *SMOKE)
    names = sets_of(word, "smoke")
    own = n_jobs(word, "smoke", alone=True)
    assert own.pop(f"{word}_page") == 1
    wanted = {"fetch": n_files(names), "tidy": len(names), **own}
    assert {rule: n for rule, n in plan.items() if rule in wanted} == wanted
    assert plan.keys() - wanted.keys() == READ.get(word, set())


def test_a_sweep_of_noise_that_soft_does_not_draw(planned):
    plan = planned.forked("--dry-run", *planned.settings("soft: {noise_factors: [0, 0.3]}"))
    assert plan.returncode != 0
    assert "`soft_sweep.noise_factors` holds 0.1, which is not in" in plan.stdout + plan.stderr
    without = planned.settings("experiments: [soft]\nsoft: {noise_factors: [0, 0.3]}")
    assert planned.forked("--dry-run", *without).returncode == 0


def test_a_data_set_that_is_not_registered_is_no_target(planned):
    """Wildcards match data sets and nothing else."""
    plan = planned.forked("--dry-run", "data/tidy/no_such_set.parquet")
    assert plan.returncode != 0
    assert "MissingRuleException" in plan.stdout + plan.stderr


@pytest.mark.parametrize("entry", ["Snakefile", "workflow/Snakefile"])
def test_lint(planned, entry):
    done = planned.forked("--snakefile", entry, "--lint")
    assert done.returncode == 0, done.stdout + done.stderr


def test_outputs_of_other_rules_become_plain_text():
    """A plan took a second longer: a rule took 1,400 outputs of other rules as one named list.

    Snakemake hashed the whole list for each of its files.
    """
    from snakemake.io import IOFile
    from snakemake.iocontainers import OutputFiles

    outputs = OutputFiles(fromdict={"b": IOFile("b.csv"), "a": IOFile("a.csv")})
    paths = paths_of([outputs, ["c.csv"], "d.csv"])
    assert paths == ["b.csv", "a.csv", "c.csv", "d.csv"]
    assert {type(path) for path in paths} == {str}
