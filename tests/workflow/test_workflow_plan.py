"""What is planned, without running it; and the linter of Snakemake."""

from __future__ import annotations

import functools
import re

import pytest
from throwaway import ROOT, SMOKE

from hedgerow.files import read_yaml

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


@pytest.mark.parametrize("configuration", ["default", "smoke", "paper"])
def test_the_plan_follows_from_the_configuration(planned, configuration):
    default = read_yaml(ROOT / "config/default.yaml")
    own = read_yaml(ROOT / f"config/{configuration}.yaml")
    soft = {**default["soft"], **own["soft"]}
    beyond = {**default["soft_beyond"], **own.get("soft_beyond", {})}
    noised = {*soft["datasets"], *beyond["datasets"], *beyond["categorical_datasets"]}
    search = {**default["search"], **own.get("search", {})}
    n_searched = len(search["datasets"])
    n_search_chunks = -(-search["n_splits"] // search["chunk"])
    searched = {**default["search_beyond"], **own.get("search_beyond", {})}
    n_parts = {
        part: len(searched[sets]) * -(-searched[splits] // searched["chunk"])
        for part, sets, splits in (
            ("optimum", "optimum_datasets", "optimum_splits"),
            ("selection", "datasets", "n_splits"),
            ("anytime", "datasets", "anytime_splits"),
        )
    }
    structure = {**default["structure"], **own.get("structure", {})}
    n_compared = len(structure["datasets"])
    n_forest_chunks = n_compared * -(-structure["n_forests"] // structure["chunk"])
    used = noised | {*search["datasets"], *searched["datasets"], *searched["optimum_datasets"]}
    used |= {*structure["datasets"]}
    compared = {**default["structure_beyond"], **own.get("structure_beyond", {})}
    n_beyond_forests = len(compared["datasets"]) * -(-compared["n_splits"] // compared["chunk"])
    used |= {*compared["datasets"], compared["patterns_dataset"]}
    survival = {**default["survival"], **own.get("survival", {})}
    n_cohorts = len(survival["datasets"])
    n_permuted = n_cohorts * -(-survival["n_permutations"] // survival["chunk"])
    used |= {*survival["datasets"]}
    trusted = {**default["survival_beyond"], **own.get("survival_beyond", {})}
    n_trusted = len(trusted["datasets"])
    used |= {*trusted["datasets"]}
    doubting = {**default["confidence"], **own.get("confidence", {})}
    n_doubted = {
        rule: len(doubting["datasets"]) * -(-doubting[key] // doubting["chunk"])
        for rule, key in (
            ("confidence_validate", "n_repeats"),
            ("confidence_size", "n_divisions"),
        )
    }
    used |= {*doubting["datasets"]}
    doubted = {**default["confidence_beyond"], **own.get("confidence_beyond", {})}
    used |= {*doubted["datasets"], *doubted["categorical_datasets"]}
    evidential = {**default["evidential"], **own.get("evidential", {})}
    n_learnt = len(evidential["datasets"]) * -(-evidential["n_repeats"] // evidential["chunk"])
    used |= {*evidential["datasets"]}
    doubts = {**default["evidential_beyond"], **own.get("evidential_beyond", {})}
    used |= {*doubts["datasets"]}
    gaps = {**default["missing"], **own.get("missing", {})}
    n_gaps = len(gaps["datasets"]) * -(-gaps["n_repeats"] // gaps["chunk"])
    used |= {*gaps["datasets"]}
    lacking = {**default["missing_beyond"], **own.get("missing_beyond", {})}
    used |= {*lacking["datasets"], *lacking["natural_datasets"]}
    n_beyond_chunks = -(-beyond["n_permutations"] // beyond["chunk"])
    n_swept = len({**default["soft_sweep"], **own["soft_sweep"]}["datasets"])
    n = len(soft["datasets"])
    n_chunks = -(-soft["n_permutations"] // soft["chunk"])
    assert planned.of_plan(plan_of(planned, configuration)) == {
        "fetch": len(used) + 1,  # synthetic_lvef, of the illustrations
        "tidy": len(used) + 1,
        "soft_noise": len(noised),
        "soft_calibrate": len(noised),
        "soft_learn": n * n_chunks,
        "soft_running_times": 1,
        "soft_prune": n,
        "soft_evaluate": n,
        "soft_statistics": 1,
        "soft_tables": 1,
        "soft_figures": 1,
        "soft_claims": 1,
        "soft_page": 1,
        "soft_illustration_results": 1,
        "soft_illustration_data": 1,
        "soft_illustration_tables": 1,
        "soft_illustration_figures": 1,
        "soft_illustration_page": 1,
        "soft_sweep_grow": n_swept,
        "soft_sweep_evaluate": n_swept,
        "soft_sweep_tables": 1,
        "soft_sweep_figures": 1,
        "soft_sweep_claims": 1,
        "soft_sweep_page": 1,
        "soft_scores_statistics": 1,
        "soft_scores_tables": 1,
        "soft_scores_figures": 1,
        "soft_scores_page": 1,
        "soft_beyond_numeric": len(beyond["datasets"]) * n_beyond_chunks,
        "soft_beyond_categories": len(beyond["categorical_datasets"]) * n_beyond_chunks,
        "soft_beyond_statistics": 1,
        "soft_beyond_tables": 1,
        "soft_beyond_figures": 1,
        "soft_beyond_claims": 1,
        "soft_beyond_page": 1,
        "search_run": n_searched * n_search_chunks,
        "search_merge": n_searched,
        "search_properties": n_searched,
        "search_statistics": 1,
        "search_tables": 1,
        "search_claims": 1,
        "search_running_times": 1,
        "search_figures": 1,
        "search_page": 1,
        "search_beyond_optimum": n_parts["optimum"],
        "search_beyond_selection": n_parts["selection"],
        "search_beyond_anytime": n_parts["anytime"],
        "search_beyond_statistics": 1,
        "search_beyond_tables": 1,
        "search_beyond_figures": 1,
        "search_beyond_running_times": 1,
        "search_beyond_claims": 1,
        "search_beyond_page": 1,
        "structure_learn": n_forest_chunks,
        "structure_compare": n_forest_chunks,
        "structure_cluster": n_forest_chunks,
        "structure_statistics": n_compared,
        "structure_tables": 1,
        "structure_claims": 1,
        "structure_figures": 1,
        "structure_page": 1,
        "structure_beyond_run": n_beyond_forests,
        "structure_beyond_forest": 1,
        "structure_beyond_statistics": 1,
        "structure_beyond_tables": 1,
        "structure_beyond_figures": 1,
        "structure_beyond_claims": 1,
        "structure_beyond_page": 1,
        "survival_learn": n_cohorts,
        "survival_permute": n_permuted,
        "survival_describe": n_cohorts,
        "survival_statistics": n_cohorts,
        "survival_sheet": n_cohorts,
        "survival_tables": 1,
        "survival_figures": 1,
        "survival_claims": 1,
        "survival_page": 1,
        "survival_beyond_learn": n_trusted,
        "survival_beyond_scores": n_trusted,
        "survival_beyond_weights": n_trusted,
        "survival_beyond_measurement": n_trusted,
        "survival_beyond_stability": n_trusted,
        "survival_beyond_statistics": 1,
        "survival_beyond_tables": 1,
        "survival_beyond_figures": 1,
        "survival_beyond_claims": 1,
        "survival_beyond_page": 1,
        **n_doubted,
        "confidence_statistics": 1,
        "confidence_tables": 1,
        "confidence_figures": 1,
        "confidence_claims": 1,
        "confidence_page": 1,
        "confidence_beyond_run": len(doubted["datasets"]),
        "confidence_beyond_categories": len(doubted["categorical_datasets"]),
        "confidence_beyond_statistics": 1,
        "confidence_beyond_tables": 1,
        "confidence_beyond_figures": 1,
        "confidence_beyond_claims": 1,
        "confidence_beyond_page": 1,
        "evidential_learn": n_learnt,
        "evidential_statistics": 1,
        "evidential_tables": 1,
        "evidential_figures": 1,
        "evidential_claims": 1,
        "evidential_page": 1,
        "evidential_beyond_run": len(doubts["datasets"]),
        "evidential_beyond_statistics": 1,
        "evidential_beyond_tables": 1,
        "evidential_beyond_figures": 1,
        "evidential_beyond_claims": 1,
        "evidential_beyond_page": 1,
        "missing_learn": n_gaps,
        "missing_statistics": 1,
        "missing_tables": 1,
        "missing_figures": 1,
        "missing_claims": 1,
        "missing_readings": 1,
        "missing_page": 1,
        "missing_beyond_run": len(lacking["datasets"]),
        "missing_beyond_natural": len(lacking["natural_datasets"]),
        "missing_beyond_statistics": 1,
        "missing_beyond_tables": 1,
        "missing_beyond_figures": 1,
        "missing_beyond_claims": 1,
        "missing_beyond_page": 1,
        "claims": 1,
        "comparison": 1,
        "comparison_figure": 1,
        "misprints": 1,
        "report": 1,
        "crate": 1,
        "manifest": 1,
    }


def test_one_experiment_is_a_target(planned):
    rules = planned.planned("soft", *SMOKE)
    assert "soft_tables" in rules and "soft_figures" in rules
    assert "manifest" not in rules and "soft_sweep_grow" not in rules


def test_the_illustrations_are_a_target_and_need_one_data_set(planned):
    assert planned.planned("soft_illustration", *SMOKE) == {
        "fetch": 1,
        "tidy": 1,
        "soft_illustration_results": 1,
        "soft_illustration_data": 1,
        "soft_illustration_tables": 1,
        "soft_illustration_figures": 1,
    }


def test_the_sweep_is_a_target_and_needs_no_tuned_trees(planned):
    rules = planned.planned("soft_sweep", *SMOKE)
    assert rules["soft_sweep_grow"] == 2 and rules["soft_sweep_figures"] == 1
    assert "soft_learn" not in rules and "soft_calibrate" not in rules


def test_the_tree_search_is_a_target_and_needs_no_noise(planned):
    rules = planned.planned("search", *SMOKE)
    assert rules["search_run"] == 4 and rules["search_running_times"] == 1
    assert not [rule for rule in rules if rule.startswith("soft")]
    assert "search_page" not in rules


def test_the_structure_of_trees_is_a_target_and_needs_one_data_set(planned):
    assert planned.planned("structure", *SMOKE) == {
        "fetch": 1,
        "tidy": 1,
        "structure_learn": 2,
        "structure_compare": 2,
        "structure_cluster": 2,
        "structure_statistics": 1,
        "structure_tables": 1,
        "structure_claims": 1,
        "structure_figures": 1,
    }


def test_what_goes_beyond_chapter_5_is_a_target_and_needs_no_result_of_it(planned):
    assert planned.planned("structure_beyond", *SMOKE) == {
        "fetch": 2,
        "tidy": 2,
        "structure_beyond_run": 2,
        "structure_beyond_forest": 1,
        "structure_beyond_statistics": 1,
        "structure_beyond_tables": 1,
        "structure_beyond_figures": 1,
        "structure_beyond_claims": 1,
    }


def test_what_goes_beyond_chapter_6_is_a_target_and_needs_no_result_of_it(planned):
    rules = planned.planned("survival_beyond", *SMOKE)
    assert rules["survival_beyond_learn"] == rules["survival_beyond_stability"] == 2
    assert "survival_learn" not in rules and "survival_beyond_page" not in rules


def test_confidence_is_a_target_and_needs_no_other_experiment(planned):
    assert planned.planned("confidence", *SMOKE) == {
        "fetch": 2,
        "tidy": 2,
        "confidence_validate": 2,
        "confidence_size": 2,
        "confidence_statistics": 1,
        "confidence_tables": 1,
        "confidence_figures": 1,
        "confidence_claims": 1,
    }


def test_evidential_is_a_target_and_needs_no_other_experiment(planned):
    assert planned.planned("evidential", *SMOKE) == {
        "fetch": 2,
        "tidy": 2,
        "evidential_learn": 2,
        "evidential_statistics": 1,
        "evidential_tables": 1,
        "evidential_figures": 1,
        "evidential_claims": 1,
    }


def test_missing_is_a_target_and_needs_no_other_experiment(planned):
    assert planned.planned("missing", *SMOKE) == {
        "fetch": 2,
        "tidy": 2,
        "missing_learn": 2,
        "missing_statistics": 1,
        "missing_tables": 1,
        "missing_figures": 1,
        "missing_claims": 1,
        "missing_readings": 1,
    }


def test_what_goes_beyond_chapter_4_is_a_target_and_needs_no_result_of_it(planned):
    rules = planned.planned("search_beyond", *SMOKE)
    assert rules["search_beyond_optimum"] == 2 and rules["search_beyond_running_times"] == 1
    assert not [rule for rule in rules if rule.startswith("soft")]
    assert "search_run" not in rules and "search_beyond_page" not in rules


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
