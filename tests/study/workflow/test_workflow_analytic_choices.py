"""Jobs made again under other settings: which, from what, and what is judged of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from throwaway import ROOT, read_workflow

from hedgerow.data import fetch, load_registry, tidy, write_tidy
from hedgerow.errors import ConfigError
from hedgerow.files import read_csv, read_yaml
from hedgerow_study.experiments.published_cells import KEY
from hedgerow_study.reporting.analytic_choices import HERE, read_choices
from hedgerow_study.workflow.jobs import analytic_choices
from hedgerow_study.workflow.jobs.analytic_choices import Read, changed_params, rerun_jobs

SETS = ["haberman", "bupa", "wine"]
#: One repeat, the methods that read the trees of C4.5.
SMALL = {"datasets": SETS, "n_repeats": 1, "methods": ["c45", "se", "plt"], "n_folds": 2}
TOUCHES = ["T3-01", "T3-10"]


def choice(methods=(), settings=None, without=()):
    said = {"open": "not said", "place": "3.3", "here": "so", "touches": TOUCHES}
    other = {"settings": settings} if settings else {"without": list(without)}
    return said | {"otherwise": {"other": other}} | ({"methods": methods} if methods else {})


CHOICES = {
    "gates": choice(["se"], {"gate_at": "midpoint"}),
    "crossings": choice(["plt"], {"plt_crossings": "outward"}),
    "stop": choice(settings={"min_samples_split": 20}),
    "data": choice(without=["wine"]),
}
PRODUCT = {"claims": ["T3-10"], "choices": [*CHOICES], "methods": SMALL["methods"]}
SOFT = read_choices({"soft": {"choices": CHOICES, "products": [PRODUCT]}})["soft"]


@pytest.fixture(scope="module")
def workflow():
    """The smoke configuration, as Snakemake reads it, with little of soft."""
    with read_workflow(soft=SMALL) as found:
        yield found


@pytest.fixture(scope="module")
def config(workflow):
    return workflow.globals["config"]


@pytest.fixture(scope="module")
def read(workflow, config) -> Read:
    return Read(workflow, config, "soft", SOFT)


@pytest.fixture(scope="module")
def made(read, tmp_path_factory) -> Path:
    """A folder in which the claims of soft were judged."""
    folder = tmp_path_factory.mktemp("analytic_choices")
    registry = load_registry(ROOT / "config/datasets.yaml")
    for name in SETS:
        raw = fetch(registry[name], folder / "data/raw" / name)
        write_tidy(folder / f"data/tidy/{name}.parquet", tidy(registry[name], raw))
    (folder / "config").symlink_to(ROOT / "config")
    (folder / "data/published").symlink_to(ROOT / "data/published")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        tables = {path: Path(path) for path in (f"data/tidy/{name}.parquet" for name in SETS)}
        jobs = [job for name in SETS for job in read.jobs(name)] + read.meets
        for path, there in rerun_jobs(jobs, "soft", {}, folder / "store", tables).items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            there.rename(path)
    return folder


@pytest.fixture
def here(made, monkeypatch) -> Path:
    monkeypatch.chdir(made)
    return made


def run_all(read: Read, folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Claims and printed cells in each analysis, by both jobs."""

    class Named(dict):
        __getattr__ = dict.get

    paths = []
    for name in read.datasets:
        paths.append(str(folder / name / "soft.tar.xz"))
        analytic_choices.run(
            SimpleNamespace(
                rule="run",
                log=[folder / f"data/logs/{name}.log"],
                input=[],
                output=paths[-1:],
                params=Named(given=read.run_params(name)),
                wildcards=SimpleNamespace(dataset=name),
            )
        )
    out = [str(folder / f"{name}.parquet") for name in ("judged", "cells")]
    analytic_choices.judge(
        SimpleNamespace(
            rule="judge",
            log=[folder / "data/logs/judge.log"],
            input=Named(runs=paths),
            output=out,
            params=Named(given=read.judge_params()),
        )
    )
    judged, cells = map(pd.read_parquet, out)
    return judged, cells


# ------------------------------------------------------------------------ which jobs, which files


@pytest.mark.slow
def test_settings_reach_the_jobs_that_declare_them(read):
    learn, claims = (
        next(j for j in (*read.jobs("wine"), *read.meets) if j.rule == f"soft_{n}")
        for n in ("learn", "claims")
    )
    other = changed_params(learn, "soft", {"gate_at": "midpoint", "n_calibrated": 3})
    assert other["plan"] == learn.params["plan"] | {"gate_at": "midpoint"}
    assert changed_params(learn, "search", {"gate_at": "midpoint"}) == dict(learn.params)
    assert changed_params(claims, "soft", {"gate_at": "midpoint"}) == dict(claims.params)


@pytest.mark.slow
def test_only_what_a_setting_touches_is_made_again(read, here, tmp_path):
    jobs = read.jobs("wine")
    made = rerun_jobs(jobs, "soft", {"gate_at": "midpoint"}, tmp_path)
    assert "data/results/soft/wine.parquet" in made
    # The confidence is calibrated again, and comes out as it was.
    assert not [path for path in made if path.startswith(("data/noised/", "data/calibrated/"))]
    assert set(made.values()) <= set(tmp_path.rglob("*.parquet"))
    before = pd.read_parquet("data/results/soft/wine.parquet")
    assert rerun_jobs(jobs, "soft", {"store_samples": True, "n_samples": 100}, tmp_path) == {}
    assert pd.read_parquet("data/results/soft/wine.parquet").equals(before)


@pytest.mark.slow
def test_what_was_made_of_the_same_is_not_made_again(read, here, tmp_path, monkeypatch):
    """Alternatives that part late share what comes before; the same settings share everything."""
    ran = []
    perform = analytic_choices.perform
    monkeypatch.setattr(analytic_choices, "perform", lambda s: (ran.append(s.rule), perform(s)))
    jobs = read.jobs("bupa")
    first = rerun_jobs(jobs, "soft", {"calibration": "folds"}, tmp_path)
    both = {"calibration": "folds", "plt_crossings": "outward"}
    rerun_jobs(jobs, "soft", both, tmp_path)
    assert ran.count("soft_calibrate") == 1 and ran.count("soft_learn") == 2
    ran.clear()
    assert rerun_jobs(jobs, "soft", {"calibration": "folds"}, tmp_path) == first and not ran


# ----------------------------------------------------------------------------- what is judged


@pytest.mark.slow
def test_each_analysis_is_judged_as_if_it_were_configured(read, here, tmp_path):
    """Rows that are put together, and claims of them, are those of a run with all its settings."""
    found, cells = run_all(read, tmp_path)
    assert cells.empty  # not asked
    assert len(found) == 2**4 and set(found["claim"]) == {"T3-10"}
    assert found["analysis"].iloc[0] == HERE
    mixed = found.set_index(["choice_gates", "choice_crossings", "choice_stop", "choice_data"])
    jobs = [job for name in SETS for job in read.jobs(name)] + read.meets
    every = {"gate_at": "midpoint", "plt_crossings": "outward", "min_samples_split": 20}
    cases = {
        (HERE, HERE, HERE, HERE): ({}, []),
        ("other", "other", HERE, HERE): ({k: every[k] for k in list(every)[:2]}, []),
        ("other", "other", "other", HERE): (every, []),
        (HERE, HERE, HERE, "other"): ({}, ["data/results/soft/wine.parquet"]),
        ("other", "other", "other", "other"): (every, ["data/results/soft/wine.parquet"]),
    }
    measured = set()
    for n, (taken, (settings, without)) in enumerate(cases.items()):
        made = rerun_jobs(jobs, "soft", settings, tmp_path / str(n), without=without)
        whole = pd.read_parquet(made.get(read.claims, read.claims))
        alone = whole.set_index("claim").loc["T3-10"]
        columns = ["verdict", "measured", "n_datasets", "estimate", "low", "high"]
        pd.testing.assert_series_equal(
            mixed.loc[taken, columns], alone[columns], check_names=False, check_dtype=False
        )
        measured.add(alone["measured"])
    assert len(measured) >= 3


@pytest.mark.slow
def test_numbers_of_each_analysis_are_set_beside_what_is_printed(workflow, config, here, tmp_path):
    product = {"claims": ["T3-10"], "choices": ["gates"], "methods": SMALL["methods"]}
    choices = {"gates": CHOICES["gates"]}
    own = read_choices({"soft": {"choices": choices, "products": [product]}})["soft"]
    read = Read(workflow, config, "soft", own, nearest=True)
    assert {"soft_tables", "comparison"} <= {job.rule for job in read.comparison}
    run = read.comparison + [job for name in SETS for job in read.jobs(name)] + read.meets
    assert not [path for job in run for path in job.paths if "structure" in path]
    rows = {path: Path(path) for path in read.judged_from if path.startswith("data/results/")}
    for path, there in rerun_jobs(read.comparison, "soft", {}, tmp_path / "here", rows).items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        there.rename(path)
    judged, cells = run_all(read, tmp_path)
    assert set(judged["analysis"]) == set(cells["analysis"]) == {HERE, "gates=other"}
    assert set(cells["experiment"]) == {"soft"} and cells["measured"].notna().all()
    assert set(cells["method"]) <= {"", *SMALL["methods"]}
    one, other = (own.set_index(KEY)["measured"] for _, own in cells.groupby("analysis"))
    changed = (one != other).groupby("method").any()
    assert changed["se"] and not changed["plt"]
    # As a run with its settings has them.
    jobs = [job for name in SETS for job in read.jobs(name)] + read.meets + read.comparison
    made = rerun_jobs(jobs, "soft", {"gate_at": "midpoint"}, tmp_path / "whole")
    whole = pd.read_parquet(made["reports/comparison.parquet"]).set_index(KEY)["measured"]
    of_run = cells[cells["analysis"] != HERE].set_index(KEY)["measured"]
    pd.testing.assert_series_equal(of_run, whole[of_run.index])


@pytest.mark.slow
def test_an_alternative_that_changes_nothing_is_refused(workflow, config):
    def read_with(settings):
        other = CHOICES | {"gates": choice(["se"], settings)}
        return Read(
            workflow, config, "soft", read_choices({"soft": {"choices": other}})["soft"], True
        )

    with pytest.raises(ConfigError, match=r"`soft\.choices\.gates`: `other` changes nothing"):
        read_with({"chunk": 7})
    with pytest.raises(ConfigError, match="`gates: other` sets `gates_at`, which is no setting"):
        read_with({"gates_at": "midpoint"})
    # What the configuration does itself is as here, and no other analysis.
    same = read_with({"gate_at": "threshold"})
    assert {name for analysis in same.analyses for name in analysis.taken} == {*CHOICES} - {"gates"}


@pytest.mark.slow
def test_the_tracked_choices_change_something(workflow, config):
    tracked = read_choices(read_yaml(ROOT / "config/analytic_choices.yaml"))
    stated = read_csv(ROOT / "data/published/claims.csv")
    for experiment, choices in tracked.items():
        own = Read(workflow, config, experiment, choices, singles=True)
        judged = {claim for analysis in own.analyses for claim in analysis.claims}
        assert judged <= set(stated["claim_id"])
        assert all(own.kept(dataset) for dataset in own.datasets)
