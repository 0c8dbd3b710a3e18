"""Data sets: registry, sources, readers, tidy tables, splits, named seeds and noise.

From a key to rows, anywhere: ``load("wine")``. Step by step, as the workflow does::

    registry = load_registry()                  # config/datasets.yaml
    entry = registry["wine"]
    raw = fetch(entry, "data/raw/wine")         # first source that answers
    table = tidy(entry, raw)                    # typed, sorted, fingerprint checked
    train, test = split(table, 0, seed=1, experiment="soft")
"""

from hedgerow.data.cohort_facts import CohortFacts
from hedgerow.data.cohorts import Cohort, cohort
from hedgerow.data.loading import DataSet, load
from hedgerow.data.noise import (
    FAMILIES,
    add_family_noise,
    add_noise,
    category_shares,
    deviations,
    variable_multiples,
)
from hedgerow.data.registry import DatasetEntry, Registry, Source, load_registry
from hedgerow.data.seeds import rng, seed_sequence
from hedgerow.data.sources import FetchedFile, NoSourceError, available, fetch, read_fetched
from hedgerow.data.splits import folds, n_folds_for, split, split_groups
from hedgerow.data.tidy import (
    TidyTable,
    canonical_csv,
    check_table,
    fingerprint,
    read_tidy,
    tidy,
    write_tidy,
)

__all__ = [
    "FAMILIES",
    "Cohort",
    "CohortFacts",
    "DataSet",
    "DatasetEntry",
    "FetchedFile",
    "NoSourceError",
    "Registry",
    "Source",
    "TidyTable",
    "add_family_noise",
    "add_noise",
    "available",
    "canonical_csv",
    "category_shares",
    "check_table",
    "cohort",
    "deviations",
    "fetch",
    "fingerprint",
    "folds",
    "load",
    "load_registry",
    "n_folds_for",
    "read_fetched",
    "read_tidy",
    "rng",
    "seed_sequence",
    "split",
    "split_groups",
    "tidy",
    "variable_multiples",
    "write_tidy",
]
