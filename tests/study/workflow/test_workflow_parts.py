"""Parts: how a plan is cut into them, and what their archives may hold."""

from __future__ import annotations

import io
import lzma
import tarfile

import pytest
from throwaway import ROOT

from hedgerow.errors import DataError
from hedgerow_study.workflow.jobs.parts import calls_of_rules, cut, packed, unpacked
from hedgerow_study.workflow.planning.graph import planned
from hedgerow_study.workflow.references.paper_scale import experiments

# ------------------------------------------------------------------------------------- the cut

CALLS = {
    "noise": "other.steps:noise",
    "learn": "mine.steps:learn",
    "evaluate": "mine.steps:evaluate",
    "tables": "mine.tables",
    "claims": "mine.claims:claims",
    "page": "mine.page:section",
}


def job(rule, inputs, *outputs):
    return {"rule": rule, "inputs": inputs, "outputs": list(outputs)}


def of(dataset):
    """Jobs of a data set: two chunks, and what is made of them."""
    tidy, noise = f"tidy/{dataset}", f"noise/{dataset}"
    chunks = {chunk: (f"trees/{dataset}_{chunk}", f"times/{dataset}_{chunk}") for chunk in "12"}
    learnt = {f"learn:{dataset},{c}": job("learn", [tidy, noise], *chunks[c]) for c in "12"}
    trees = [trees for trees, _ in chunks.values()]
    return {
        f"tidy:{dataset}": job("tidy", [], tidy),
        f"noise:{dataset}": job("noise", [tidy], noise),
        **learnt,
        f"evaluate:{dataset}": job("evaluate", trees, f"rows/{dataset}"),
    }


def plan(*datasets):
    """An experiment whose running times are read as well as its rows."""
    rows = [f"rows/{dataset}" for dataset in datasets]
    times = [f"times/{dataset}_{chunk}" for dataset in datasets for chunk in "12"]
    found = {id: one for dataset in datasets for id, one in of(dataset).items()}
    return found | {
        "tables": job("tables", [*rows, *times, "published"], "tables/a", "tables/b"),
        "claims": job("claims", rows, "claims"),
        "page": job("page", ["tables/a", "trees/pima_1"], "page"),
        "claims_of_all": job("claims_of_all", ["claims"], "all"),
    }


def test_a_part_is_what_is_read_where_data_sets_meet():
    """Not trees, which a page alone reads; a job of another experiment belongs to it."""
    found = cut(plan("pima", "wine"), CALLS, "mine")
    assert list(found.parts) == ["pima", "wine"]
    part = found.parts["pima"]
    assert (part.name, part.dataset) == ("pima", "pima")
    assert part.files == ("rows/pima", "times/pima_1", "times/pima_2")
    assert part.jobs == ("evaluate:pima", "learn:pima,1", "learn:pima,2", "noise:pima")
    assert part.calls == ("mine.steps:evaluate", "mine.steps:learn", "other.steps:noise")
    assert found.rules == ("claims", "tables")
    assert found.calls == ("mine.claims:claims", "mine.tables")


def test_one_data_set_is_cut_by_its_chunks():
    """All that is made of more than one of them is made of the parts."""
    found = cut(plan("pima"), CALLS, "mine")
    assert list(found.parts) == ["pima_1", "pima_2"]
    part = found.parts["pima_2"]
    assert part.dataset == "pima" and part.files == ("times/pima_2", "trees/pima_2")
    assert "learn:pima,2" in part.jobs and "learn:pima,1" not in part.jobs
    assert found.rules == ("claims", "evaluate", "tables")


def test_analyses_are_cut_with_what_they_read():
    """A part holds rows as here and runs; it is one even where a single set is cut by chunks."""

    def read(*datasets):
        calls = {**CALLS, "summary": "analytic_choices.statistics:summarise"}
        runs = {
            f"analytic_choices_run:{name},mine": job(
                "analytic_choices_run", [f"rows/{name}"], f"runs/{name}"
            )
            for name in datasets
        }
        rows = [f"{kind}/{name}" for kind in ("rows", "runs") for name in datasets]
        jobs = {
            **plan(*datasets),
            **runs,
            "analytic_choices_judge:mine": job("analytic_choices_judge", rows, "judged"),
            "summary": job("summary", ["judged"], "tables/c"),
        }
        return cut(jobs, calls, "analytic_choices", "mine")

    two, one = read("pima", "wine"), read("pima")
    assert list(two.parts) == ["pima", "wine"] and list(one.parts) == ["pima"]
    part = two.parts["pima"]
    assert part == one.parts["pima"]
    assert part.dataset == "pima" and part.files == ("rows/pima", "runs/pima")
    assert "analytic_choices_run:pima,mine" in part.jobs and "learn:pima,2" in part.jobs
    assert "workflow.jobs.analytic_choices:run" in part.calls
    assert two.rules == ("analytic_choices_judge", "claims", "summary", "tables")


def test_one_data_set_without_chunks_is_one_part():
    """It had no part at all, and nothing could be made of it."""
    whole = {
        "evaluate:pima": job("evaluate", ["tidy/pima"], "rows/pima"),
        "tables": job("tables", ["rows/pima"], "tables/a"),
    }
    found = cut(whole, CALLS, "mine")
    assert found.parts["pima"].files == ("rows/pima",) and found.rules == ("tables",)


def test_the_order_of_a_plan_is_no_matter():
    one, other = plan("pima", "wine"), plan("wine", "pima")
    assert cut(one, CALLS, "mine") == cut(dict(reversed(other.items())), CALLS, "mine")


@pytest.fixture(scope="module")
def smoke_plan():
    return planned(ROOT, ["config/smoke.yaml"])


@pytest.mark.runs
@pytest.mark.parametrize("word", experiments())
def test_every_experiment_is_cut_and_no_rule_of_it_is_forgotten(smoke_plan, word):
    """Each belongs to a part or makes something of the parts, but for pages and sheets."""
    calls = calls_of_rules(ROOT)
    found = cut(smoke_plan, calls, word)
    jobs = [id for part in found.parts.values() for id in part.jobs]
    assert len(found.parts) > 1 and len(jobs) >= len(found.parts)
    rules = {smoke_plan[id]["rule"] for id in jobs} | set(found.rules)
    mine = {one["rule"] for one in smoke_plan.values() if one["rule"].startswith(f"{word}_")}
    mine = {rule for rule in mine if calls.get(rule, "").partition(".")[0] == word}
    assert mine - rules <= {f"{word}_page", f"{word}_sheet"}
    kept = [path for part in found.parts.values() for path in part.files]
    assert len(kept) == len(set(kept)) and all(path.startswith("data/") for path in kept)


# --------------------------------------------------------------------------------- the archive

FILES = {"data/results/b.parquet": b"rows", "data/a.json": b"{}"}


@pytest.fixture
def archive(tmp_path):
    """Writes an archive of members: a name with its content, or such as `tarfile` knows them."""

    def write(*members):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for one in members:
                if not isinstance(one, tarfile.TarInfo):
                    name, content = one
                    one = tarfile.TarInfo(name)
                    one.size = len(content)
                    tar.addfile(one, io.BytesIO(content))
                else:
                    tar.addfile(one)
        path = tmp_path / "part.tar.xz"
        path.write_bytes(lzma.compress(out.getvalue()))
        return path

    return write


def test_an_archive_holds_files_at_their_places_and_nothing_of_the_day(tmp_path):
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    content = packed(tmp_path, FILES)
    (tmp_path / "data/a.json").touch()
    (tmp_path / "data/a.json").chmod(0o600)
    assert packed(tmp_path, reversed(FILES)) == content
    (tmp_path / "part.tar.xz").write_bytes(content)
    assert unpacked(tmp_path / "part.tar.xz", FILES) == FILES


def test_other_files_than_those_of_the_manifest_are_refused(archive):
    path = archive(*FILES.items())
    for wanted, odd in ((["data/a.json"], "data/results/b.parquet"), ([*FILES, "c"], "c")):
        with pytest.raises(DataError, match=f"do not hold the same files: {odd}"):
            unpacked(path, wanted)


def member(kind, size=0, **headers):
    found = tarfile.TarInfo("data/a.json")
    found.type, found.linkname, found.size, found.pax_headers = kind, "/etc/passwd", size, headers
    return found


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE]
)
def test_what_is_no_file_is_refused(archive, kind):
    with pytest.raises(DataError, match=r"holds data/a\.json, which is no file"):
        unpacked(archive(member(kind)), ["data/a.json"])


def test_a_file_of_holes_is_refused(archive):
    """A few bytes of an archive became as many zeros in memory as its header said."""
    headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(2**50)}
    with pytest.raises(DataError, match="which is no file"):
        unpacked(archive(member(tarfile.REGTYPE, **headers)), ["data/a.json"])


def test_an_archive_that_would_fill_the_memory_is_cut_off(archive, monkeypatch):
    monkeypatch.setattr("hedgerow_study.workflow.jobs.parts.LARGEST", 2**24)
    with pytest.raises(DataError, match=r"part\.tar\.xz cannot be read"):
        unpacked(archive(("data/a.json", bytes(2**25))), ["data/a.json"])


@pytest.mark.parametrize("content", [b"", b"no archive", lzma.compress(b"no archive either")])
def test_what_is_no_archive_is_refused(tmp_path, content):
    path = tmp_path / "part.tar.xz"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"part\.tar\.xz cannot be read.*|do not hold the same"):
        unpacked(path, ["data/a.json"])
    with pytest.raises(DataError, match="cannot be read"):
        unpacked(tmp_path / "none.tar.xz", ["data/a.json"])
