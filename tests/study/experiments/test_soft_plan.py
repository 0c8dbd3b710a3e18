"""Settings of experiments 1 and 2, and the list of table 3.1."""

from pathlib import Path

import pandas as pd
import pytest

from hedgerow.data import load_registry
from hedgerow.errors import ConfigError
from hedgerow_study.experiments.soft.plan import TABLE_3_1, SoftPlan

ROOT = Path(__file__).parents[3]


def test_whole_numbers_and_order_of_a_file_do_not_matter():
    section = {"datasets": ["a"], "noise_factors": [0.1, 0], "methods": ["se", "c45"], "chunk": 5}
    plan = SoftPlan.from_config(section, 7, "smoke")
    assert plan.noise_factors == (0.0, 0.1)
    assert plan.methods == ("c45", "se")
    assert (plan.seed, plan.configuration) == (7, "smoke")


def test_targets_are_tried_from_the_largest():
    assert SoftPlan(target_leaves=(5, 15, 10)).target_leaves == (15, 10, 5)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"noize": 1}, "unknown setting `soft.noize`"),
        ({"datasets": []}, r"`soft.datasets` is `\[\]`; name at least one"),
        (
            {"noise_factors": [0.1]},
            r"is `\[0.1\]`; give a list of numbers >= 0 and <= 1000000, 0 among them",
        ),
        (
            {"noise_factors": [0, -0.1]},
            "is `-0.1`; give a list of numbers >= 0 and <= 1000000, 0 among them",
        ),
        ({"uncertainties": [0, 0.1]}, "`soft.uncertainties` is `0`; give a list of numbers > 0"),
        ({"uncertainties": []}, r"`soft.uncertainties` is `\[\]`; name at least one"),
        ({"methods": ["ss"]}, r"`soft.methods` is `\[ss\]`; .*c45 among them"),
        ({"methods": ["c45", "pltt"]}, "`soft.methods` is `pltt`; give a list of c45"),
        ({"n_folds": 1}, "`soft.n_folds` is `1`; give a whole number >= 2"),
        ({"test_size": 1.0}, "`soft.test_size` is `1.0`; give a number > 0 and < 1"),
    ],
)
def test_wrong_settings_are_named(section, message):
    with pytest.raises(ConfigError, match=message):
        SoftPlan.from_config(section, 0, "default")


def test_table_3_1_is_that_of_the_registry_and_in_printed_order():
    published = pd.read_csv(ROOT / "data/published/thesis_table_3_1.csv")
    assert list(TABLE_3_1) == list(published["dataset"].unique())
    registry = load_registry(ROOT / "config/datasets.yaml")
    assert {key: [name] for key, name in TABLE_3_1.items()} == registry.published("thesis3")
