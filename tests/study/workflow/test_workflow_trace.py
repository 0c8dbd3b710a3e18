"""`hedgerow trace` and `replay` on a run: a cell back to the raw file, a row once more."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from hedgerow.errors import DataError
from hedgerow.ids import is_published
from hedgerow_study.audit.provenance import Provenance, row_provenance
from hedgerow_study.audit.rerun_row import jobs_of, replay
from hedgerow_study.audit.row_names import find_row, key_columns
from hedgerow_study.audit.run import Run
from hedgerow_study.audit.trace import trace
from hedgerow_study.experiments.soft.plan import TABLE_3_1

pytestmark = pytest.mark.runs


@pytest.fixture(scope="module")
def root(smoke):
    return smoke.path


@pytest.fixture(scope="module")
def manifest(root):
    return json.loads((root / "reports/manifest.json").read_text())


@pytest.fixture
def here(root, monkeypatch):
    monkeypatch.chdir(root)
    return root


def dataset_of(root) -> str:
    """A data set of table 3.4."""
    table = pd.read_csv(root / "reports/tables/thesis_table_3_4.csv")
    return sorted(set(table["dataset"]) - {"mean_over_datasets"})[0]


def cell(root) -> str:
    table = pd.read_csv(root / "reports/tables/thesis_table_3_4.csv")
    noise = sorted(set(table["noise"]))[-1]
    return f"thesis_table_3_4:{dataset_of(root)},stp,accuracy,{noise}"


def test_a_row_is_found_by_what_tells_it_apart(root):
    row = find_row(root, cell(root))
    table = pd.read_csv(root / "reports/tables/thesis_table_3_4.csv")
    record = table.iloc[row.number - 1]
    assert row.key["method"] == record["method"] == "stp"
    assert row.values["measured"] == record["measured"]
    assert find_row(root, f"thesis_table_3_4:#{row.number}") == row
    words = cell(root).partition(":")[2].split(",")
    assert find_row(root, f"thesis_table_3_4:{','.join(reversed(words))}") == row


def test_every_row_of_every_table_has_a_name(root):
    for file in sorted((root / "reports/tables").glob("*.csv")):
        frame = pd.read_csv(file)
        if len(frame):
            key = key_columns(frame)
            assert key == list(frame.columns) or not frame.duplicated(key).any()
            assert find_row(root, f"{file.stem}:#{len(frame)}").number == len(frame)


@pytest.mark.parametrize(
    ("name", "culprit", "remedy"),
    [
        ("thesis_table_3_9:stp", "no table `thesis_table_3_9`", "did you mean `thesis_table_3_"),
        ("thesis_table_3_4", "names no row", "write what tells it apart: thesis_table_3_4:"),
        ("thesis_table_3_4:stq", "no row of thesis_table_3_4 has `stq`", "did you mean `stp`"),
        ("thesis_table_3_4:stp", "rows of thesis_table_3_4 fit `stp`", "say more: metric "),
        ("thesis_table_3_4:#99999", "has `#99999`", "metric: "),
    ],
)
def test_a_wrong_name_is_one_sentence_with_a_remedy(root, name, culprit, remedy):
    with pytest.raises(DataError) as caught:
        find_row(root, name)
    assert culprit in str(caught.value) and remedy in str(caught.value)


def test_a_cell_is_followed_to_the_raw_file(here, manifest):
    dataset = dataset_of(here)
    found = trace(here, cell(here))
    paths = {source.path: source for source in found.sources}
    assert paths[f"data/results/soft/{dataset}.parquet"].function == "soft.steps:merged"
    rows = paths[f"data/results/soft/chunks/{dataset}_000-000.parquet"]
    assert rows.function == "soft.steps:evaluate"
    assert rows.code.startswith("src/hedgerow_study/experiments/soft/steps.py:")
    part, count = found.parts
    assert part.column == "measured" and part.holds
    assert count.column == "n_datasets" and count.holds and count.recomputed == 1
    assert 100 * part.selected[0].frame["value"].mean() == pytest.approx(part.recomputed)
    assert found.datasets == [dataset] and found.holds
    assert "seed" in paths[f"data/noised/soft/{dataset}/chunks/000-000/seeds.parquet"].by
    assert f"data/trees/soft/{dataset}/chunks/000-000/pruned.parquet" in paths
    assert found.data["sha256"] == manifest["inputs"][f"data/raw/{dataset}/{found.data['file']}"]
    assert "noise in the training data" in found.caption and "Parameters" not in found.caption
    assert all(source.as_recorded for source in found.sources)
    others = set(manifest["sources"]) - {dataset}
    assert not any(f"/{other}" in path for path in paths for other in others)


def test_a_cell_lists_its_rows_and_no_others(here):
    """Rows of the other experiment were listed for a cell of table 3.4, trees of all noise factors;
    of table 4.1 three repeats where the first is meant, of table 5.1 all rows where one is."""
    keys = trace(here, cell(here)).parts[0].selected[0].frame
    noise = float(cell(here).rpartition(",")[2])
    assert set(keys["experiment"]) == {"training_noise"} and set(keys["noise"]) == {noise}
    assert set(keys["metric"]) == {"accuracy"} and set(keys["method"]) == {"stp"}
    table = pd.read_csv(here / "reports/tables/thesis_table_4_1.csv")
    run = table.index[(table["status"] == "run") & table["measured"].notna()][0]
    (part,) = trace(here, f"thesis_table_4_1:#{run + 1}").parts
    assert part.selected[0].frame["repeat"].tolist() == [0]
    table = pd.read_csv(here / "reports/tables/thesis_table_5_1.csv")
    run = table.index[table["status"] == "run"][0]
    measured = trace(here, f"thesis_table_5_1:#{run + 1}").parts[0]
    assert measured.column == "measured" and len(measured.selected[0].frame) == 1


def test_every_cell_of_every_table_is_what_its_rows_give(here):
    """The rows are selected from the files and the arithmetic is not the table's."""
    behind = Provenance(Run(here))
    known = behind.tables
    assert set(known) == {file.stem for file in (here / "reports/tables").glob("*.csv")}
    told: dict[str, set[tuple[int, str]]] = {}
    for name in known:
        for part in [*behind.parts(name), *behind.rest(name)]:
            assert part.holds, (name, part.row + 1, part.column, part.printed, part.recomputed)
            if part.selected:
                told.setdefault(name, set()).add((part.row, part.column))
    for name in filter(is_published, known):
        table = pd.read_csv(here / f"reports/tables/{name}.csv")
        if "measured" in table:
            own = {row for row, column in told.get(name, ()) if column == "measured"}
            assert own >= set(table.index[table["measured"].notna()]), name
    # The simulated registry is no part of this configuration; numbers of figures name no rows.
    own = [name for name in known if is_published(name) and not name.endswith("_data")]
    assert set(told) >= {name for name in own if "_6_" not in name}


def test_a_number_that_its_rows_do_not_give_is_told(here, smoke):
    """`+= 5` in a table's function passed: what a table says was compared with itself."""
    file = here / "reports/tables/thesis_table_3_4.csv"
    whole = file.read_text()
    row = find_row(here, cell(here))
    value = str(row.values["measured"])
    name = f"thesis_table_3_4:#{row.number}"
    done = smoke.python("-m", "hedgerow.cli", "trace", name)
    assert "measured: mean of these 2 = " in done.stdout and ", as printed" in done.stdout
    lines = whole.splitlines(keepends=True)
    lines[row.number] = lines[row.number].replace(f",{value},", f",{float(value) + 5},")
    try:
        file.write_text("".join(lines))
        done = smoke.python("-m", "hedgerow.cli", "trace", name)
        every = smoke.python("-m", "hedgerow.cli", "trace", "--all")
    finally:
        file.write_text(whole)
    assert done.returncode == every.returncode == 1
    assert f"NOT as printed, {float(value) + 5}" in done.stdout
    assert "Not what its rows give: measured." in done.stdout
    assert f"{name}, measured: {float(value) + 5}" in every.stdout


def test_what_the_folder_says_of_its_cells_is_not_believed(here, smoke):
    """A factor of 127.669 in reports/cells made 92.28 of .723, "mean of these 2, as printed"; a
    formula without a name held by definition, and a repeat could be dropped from the selection."""
    file = here / "reports/cells/thesis_table_3_4.json"
    table = here / "reports/tables/thesis_table_3_4.csv"
    row, whole, printed = find_row(here, cell(here)), file.read_bytes(), table.read_text()
    told, value = json.loads(whole), row.values["measured"]
    (own,) = (c for c in told["cells"] if c[:2] == [row.number - 1, "measured"])
    lines = printed.splitlines(keepends=True)
    lines[row.number] = lines[row.number].replace(f",{value},", f",{value + 20},")
    edits = {
        5: own[5] * (value + 20) / value,
        2: "",
        3: [(own[3][0] + 1) % len(told["selections"])],
    }
    try:
        table.write_text("".join(lines))
        for place, forged in edits.items():
            before, own[place] = own[place], forged
            file.write_text(json.dumps(told))
            part, _ = row_provenance(here, find_row(here, f"thesis_table_3_4:#{row.number}"))
            assert not part.holds and part.recomputed == pytest.approx(value, abs=1e-6)
            own[place] = before
        table.write_text("".join(lines[:-1]))
        with pytest.raises(DataError, match=r"rows of .* columns, and its rows give"):
            row_provenance(here, row)
    finally:
        file.write_bytes(whole)
        table.write_text(printed)


def test_the_command_tells_an_altered_file(here, smoke):
    file = here / f"data/results/soft/{dataset_of(here)}.parquet"
    whole = file.read_bytes()
    done = smoke.python("-m", "hedgerow.cli", "trace", cell(here))
    assert done.returncode == 0, done.stderr
    assert "SHA-256" in done.stdout and "NOT as the manifest" not in done.stdout
    try:
        file.write_bytes(whole + b"x")
        done = smoke.python("-m", "hedgerow.cli", "trace", cell(here))
    finally:
        file.write_bytes(whole)
    assert done.returncode == 1
    assert "hedgerow: " in done.stderr or "NOT as the manifest has it" in done.stdout


def test_a_row_comes_out_again_from_its_seeds(here, manifest):
    before = {p: p.read_bytes() for p in (here / "reports/tables").glob("*.csv")}
    found = replay(here, cell(here), cores=2)
    assert found.same and len(found.files) > 8
    dataset = dataset_of(here)
    noise = f"soft_noise:{dataset},000-000"
    assert noise in found.jobs and "soft_tables" in found.jobs
    assert found.jobs.index(noise) < found.jobs.index("soft_tables")
    assert not any(job.startswith(("fetch", "tidy")) for job in found.jobs)
    assert {part for part in found.split["parts"]} == {"test", "train"}
    assert found.seeds and len(found.seeds[0]["seed"]) == 64
    # The tree of noise 0 was shown for a cell at noise .1.
    first = found.parts[0].selected[0].frame.iloc[0]
    assert "(n = " in found.tree and found.tree_of["method"] == "stp"
    assert found.tree_of["training_noise"] == first["noise"] > 0
    assert found.tree_of["repeat"] == first["repeat"]
    # What the cell does not rest on was made anew as well.
    assert "soft_statistics" not in found.jobs
    assert {p: p.read_bytes() for p in before} == before, "nothing in place is touched"


def test_a_mean_rests_on_all_data_sets(here, manifest):
    table = pd.read_csv(here / "reports/tables/thesis_table_3_5.csv")
    mean = table.index[table["dataset"] == "mean_over_datasets"]
    row = find_row(here, f"thesis_table_3_5:#{mean[0] + 1}")
    jobs = jobs_of(manifest, row, row_provenance(here, row))
    learnt = {job for job in jobs if job.startswith("soft_learn:")}
    members = set(TABLE_3_1.values())
    assert learnt == {
        job
        for job in manifest["jobs"]
        if job.startswith("soft_learn:") and job.partition(":")[2].partition(",")[0] in members
    }


def test_a_replay_that_differs_says_so(here, smoke):
    """A table whose number was changed, and whose manifest was changed with it."""
    file = here / "reports/tables/thesis_table_3_4.csv"
    whole = file.read_text()
    row = find_row(here, cell(here))
    value = str(row.values["measured"])
    try:
        file.write_text(whole.replace(f",{value},", f",{float(value) + 1},"))
        wrong = find_row(here, f"thesis_table_3_4:#{row.number}")
        assert wrong.values["measured"] == pytest.approx(float(value) + 1)
        done = smoke.python("-m", "hedgerow.cli", "replay", f"thesis_table_3_4:#{row.number}")
    finally:
        file.write_text(whole)
    assert done.returncode == 1, done.stderr
    assert "Not as before: reports/tables/thesis_table_3_4.csv" in done.stdout
    assert f"measured {value}" in done.stdout
