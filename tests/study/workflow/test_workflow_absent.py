"""A data set that no source has is named in every table and page, and asked for when told to."""

import json

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml
from throwaway import new_project

from hedgerow.errors import DataError
from hedgerow.files import write_parquet
from hedgerow_study.audit.verify import verify
from hedgerow_study.workflow.jobs.frame import absence, present, write_absence
from hedgerow_study.workflow.run import absent_sets, forget_absent

SETTINGS = """
experiments: [soft]
soft:
  datasets: [bupa, haberman]
  methods: [c45, se]
  n_repeats: 1
  n_folds: 2
  noise_factors: [0]
  uncertainties: [0.2]
"""


@pytest.mark.runs
def test_a_run_goes_on_without_the_set_and_takes_it_up_when_it_is_there(tmp_path):
    project = new_project(tmp_path / "project")
    registry = project.path / "config/datasets.yaml"
    whole = registry.read_text()
    content = yaml.safe_load(whole)
    entry = content["datasets"]["haberman"]
    entry["sources"] = [{**entry["sources"][0], "file": "haberman/nowhere.csv"}]
    registry.write_text(yaml.safe_dump(content, sort_keys=False))
    settings = project.settings(SETTINGS)

    done = project.forked("--cores", "2", *settings)
    assert done.returncode == 0, done.stderr
    assert "haberman: no source answered" in done.stderr
    sizes = pd.read_csv(project.path / "reports/tables/thesis_table_3_1.csv")
    status = sizes.set_index("dataset")["status"]
    assert (status["bupa"], status["haberman"], status["pima"]) == (
        "run",
        "absent",
        "not asked for",
    )
    table = pd.read_csv(project.path / "reports/tables/thesis_table_3_4.csv")
    mean = table[table["dataset"] == "mean_over_datasets"]
    assert (mean["n_datasets"] == 1).all()
    assert mean["missing"].str.split(";").map(lambda names: "haberman" in names).all()
    page = (project.path / "reports/html/soft.html").read_text()
    assert "Absent: haberman." in page
    assert (
        "<strong>Absent:</strong>" in (project.path / "reports/html/data/haberman.html").read_text()
    )
    overview = (project.path / "reports/html/index.html").read_text()
    assert "1 data set</a>, 1 absent" in overview
    manifest = json.loads((project.path / "reports/manifest.json").read_text())
    assert manifest["absent"] == ["haberman"]

    # What is absent is no fault of the run, however often it is asked for.
    found = verify(project.path, checkout=project.path, cheap=False)
    assert found.holds, [check for check in found.checks if check.holds is False]
    told = project.python("-m", "hedgerow.cli", "status", "--trust")
    assert told.returncode == 0, told.stdout + told.stderr
    assert "RETRY_ABSENT=1" in told.stdout

    # A second run reran 37 jobs for nothing, as each asked for the set once more.
    assert project.planned(*settings) == {}
    forget_absent(project.path)
    planned = project.planned(*settings)
    assert planned["fetch"] == planned["tidy"] == 1
    done = project.forked("--cores", "2", *settings)
    assert done.returncode == 0, done.stderr
    assert absent_sets(project.path) == ["haberman"]

    # Once it is there, what depends on it is made, and no more.
    registry.write_text(whole)
    done = project.forked("--cores", "2", *settings)
    assert done.returncode == 0, done.stderr
    assert "Fetching bupa" not in done.stderr + done.stdout
    sizes = pd.read_csv(project.path / "reports/tables/thesis_table_3_1.csv")
    assert sizes.set_index("dataset")["status"]["haberman"] == "run"
    assert project.planned(*settings) == {}


def test_absence_passes_through_files(tmp_path):
    for name in ("source.json", "table.parquet"):
        path = tmp_path / name
        write_absence(path, "no source answered")
        assert absence(path) == "no source answered"
    assert pq.read_table(tmp_path / "table.parquet").num_rows == 0
    there = tmp_path / "there.parquet"
    write_parquet(there, pd.DataFrame({"a": [1]}))
    assert absence(there) is None
    assert present([tmp_path / "table.parquet", there]) == [there]


def test_a_page_of_an_absent_set_says_so_and_can_be_opened(tmp_path):
    """It was a table under the name of a PDF."""
    for name in ("a.svg", "a.pdf"):
        write_absence(tmp_path / name, "peak_vo2: no source answered (mirror: HEDGEROW_MIRROR)")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    assert "<svg" in (tmp_path / "a.svg").read_text("utf-8")
    (tmp_path / "again").mkdir()
    write_absence(
        tmp_path / "again/a.pdf", "peak_vo2: no source answered (mirror: HEDGEROW_MIRROR)"
    )
    assert (tmp_path / "again/a.pdf").read_bytes() == (tmp_path / "a.pdf").read_bytes()


def test_nothing_there_at_all_is_an_error(tmp_path):
    write_absence(tmp_path / "a.parquet", "no source answered")
    with pytest.raises(DataError, match="none of the 1 data sets could be had"):
        present([tmp_path / "a.parquet"])


SEARCH = """
experiments: [search]
search:
  datasets: [wdbc, synthetic_search_4]
  n_repeats: 2
  methods: [c45, uct_vs]
  further_methods: [c45]
  n_folds: 2
  n_iterations: 20
  property_folds: 2
  n_forest_trees: 5
  chunk: 1
"""


@pytest.mark.runs
def test_tables_of_chapter_4_name_the_set_that_is_absent(tmp_path):
    project = new_project(tmp_path / "project")
    registry = project.path / "config/datasets.yaml"
    content = yaml.safe_load(registry.read_text())
    entry = content["datasets"]["wdbc"]
    entry["sources"] = [{**entry["sources"][0], "file": "wdbc/nowhere.csv"}]
    registry.write_text(yaml.safe_dump(content, sort_keys=False))
    done = project.forked("--cores", "2", *project.settings(SEARCH))
    assert done.returncode == 0, done.stderr
    for name in ("thesis_table_4_1", "thesis_table_4_5", "thesis_table_4_7", "search_splits"):
        table = pd.read_csv(project.path / f"reports/tables/{name}.csv")
        status = table.groupby("dataset")["status"].first()
        assert status["breast_cancer_wisconsin"] == "absent", name
        assert (status["synthetic_search_4"], status["pima"]) == ("run", "not asked for"), name
    assert "Absent: wdbc." in (project.path / "reports/html/search.html").read_text()
    manifest = json.loads((project.path / "reports/manifest.json").read_text())
    assert manifest["absent"] == ["wdbc"]
