"""Noise of experiments 1 and 2: which rows, which scale, which stream, and how it is checked."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from hedgerow.data import rng
from hedgerow.errors import DataError
from hedgerow_study.experiments.soft import samples as soft_samples
from hedgerow_study.experiments.soft import steps as soft_steps


def _rows(noised, repeat, part=None, fold=None, outside=None):
    splits = noised["splits"]
    keep = splits["repeat"] == repeat
    if part:
        keep &= splits["part"] == part
    if fold is not None:
        keep &= splits["fold"] == fold
    if outside is not None:
        keep &= (splits["fold"] != outside) & (splits["part"] == "train")
    return splits.loc[keep, "row"].to_numpy()


def test_parts_and_folds_are_stratified_and_disjoint(wine, wine_run):
    for repeat in (0, 1):
        train, test = (_rows(wine_run.noised, repeat, p) for p in ("train", "test"))
        assert sorted([*train, *test]) == list(range(len(wine)))
        for rows, share in ((train, 0.7), (test, 0.3)):
            counts = np.bincount(wine.y[rows])
            assert counts == pytest.approx(share * np.bincount(wine.y), abs=1)
        folds = [_rows(wine_run.noised, repeat, fold=k) for k in range(3)]
        assert sorted(np.concatenate(folds)) == sorted(train)


def test_repeats_differ(wine_run):
    assert set(_rows(wine_run.noised, 0, "test")) != set(_rows(wine_run.noised, 1, "test"))


@pytest.mark.parametrize(
    ("sample", "rows", "means_of"),
    [
        ("train", {"part": "train"}, {"part": "train"}),
        ("test", {"part": "test"}, {"part": "train"}),
        ("fold_01_train", {"outside": 1}, {"outside": 1}),
        ("fold_01_validation", {"fold": 1}, {"outside": 1}),
    ],
)
def test_noise_is_scaled_by_the_training_part_in_use(wine, wine_run, sample, rows, means_of):
    """Redrawn from the stream's name: standard normal numbers times n |training mean|."""
    X, n_categories = wine.matrix()
    at = np.sort(_rows(wine_run.noised, 1, **rows))
    means = np.nanmean(X[np.sort(_rows(wine_run.noised, 1, **means_of))], axis=0)
    means[n_categories > 0] = 0
    normal = rng(3, "soft", "wine", 1, f"noise_{sample}_0.2").standard_normal((len(at), X.shape[1]))
    expected = X[at] + 0.2 * np.abs(means) * normal
    samples = soft_samples.Samples(wine, wine_run.noised)
    np.testing.assert_allclose(samples.X_of(1, sample, 0.2), expected, rtol=1e-12)


def test_categories_and_missing_values_stay(wine, wine_run):
    X, _ = wine.matrix()
    samples = soft_samples.Samples(wine, wine_run.noised)
    rows = np.sort(_rows(wine_run.noised, 0, "train"))
    noised = samples.X_of(0, "train", 0.2)
    np.testing.assert_array_equal(noised[:, 3], X[rows, 3])
    np.testing.assert_array_equal(np.isnan(noised), np.isnan(X[rows]))
    assert (noised[:, 0] != X[rows, 0]).all()


def test_every_noised_sample_has_one_seed(wine_run, plan):
    seeds = wine_run.noised["seeds"]
    # 2 repeats, 2 noise factors above 0, train and test and both sides of three folds.
    assert len(seeds) == 2 * 2 * (2 + 2 * 3)
    assert seeds["seed"].is_unique
    assert seeds["sha256"].is_unique
    assert not (seeds["noise"] == 0).any()


def test_samples_may_be_left_off_the_disk(wine, wine_run, plan):
    """Seeds and hashes alone give the same samples as the stored ones."""
    lean = soft_steps.noise(wine, dataclasses.replace(plan, store_samples=False))
    assert lean["samples"].empty
    pd.testing.assert_frame_equal(lean["seeds"], wine_run.noised["seeds"])
    for name, noise in (("train", 0.05), ("test", 0.2)):
        np.testing.assert_array_equal(
            soft_samples.Samples(wine, lean).X_of(0, name, noise),
            soft_samples.Samples(wine, wine_run.noised).X_of(0, name, noise),
        )


def test_samples_survive_a_file(wine, wine_run, tmp_path):
    """Missing values and every last bit come back from parquet as they went."""
    back = {}
    for name, frame in wine_run.noised.items():
        frame.to_parquet(tmp_path / name)
        back[name] = pd.read_parquet(tmp_path / name)
    samples = soft_samples.Samples(wine, back)
    np.testing.assert_array_equal(
        samples.X_of(1, "train", 0.2),
        soft_samples.Samples(wine, wine_run.noised).X_of(1, "train", 0.2),
    )


@pytest.mark.parametrize("sample", ["train", "fold_00_train"])
def test_a_sample_that_is_not_its_hash_is_refused(wine, wine_run, sample):
    noised = {name: frame.copy() for name, frame in wine_run.noised.items()}
    if sample == "train":
        noised["samples"].loc[noised["samples"]["part"] == "train", "alcohol"] += 1e-9
    else:
        noised["seeds"]["seed"] = noised["seeds"]["seed"].iloc[::-1].to_numpy()
    with pytest.raises(DataError, match=f"wine: {sample} of repeat 0 at noise 0.2"):
        soft_samples.Samples(wine, noised).X_of(0, sample, 0.2)


def test_a_noise_factor_that_was_not_drawn_is_named(wine, wine_run):
    with pytest.raises(DataError, match=r"no seed for train of repeat 0 at noise 0\.3"):
        soft_samples.Samples(wine, wine_run.noised).X_of(0, "train", 0.3)


def test_a_variable_called_like_a_key_is_refused(wine, plan):
    renamed = dataclasses.replace(wine, X=wine.X.rename(columns={"ash": "noise"}))
    with pytest.raises(DataError, match="wine: a variable is called `noise`"):
        soft_steps.noise(renamed, plan)


def test_repeats_of_a_synthetic_set_are_its_samples(drawn, plan):
    noised = soft_steps.noise(drawn, plan)
    for repeat in (0, 1):
        rows = _rows(noised, repeat)
        assert set(drawn.sample[rows]) == {repeat}
        assert len(rows) == 40


def test_means_without_numbers_are_zero():
    """A categorical variable and one without known values get no noise."""
    X = np.array([[1.0, 2.0, np.nan], [3.0, np.nan, np.nan]])
    assert soft_samples.variable_means(X, np.array([0, 0, 0])).tolist() == [2.0, 2.0, 0.0]
    assert soft_samples.variable_means(X, np.array([0, 3, 0])).tolist() == [2.0, 0.0, 0.0]
