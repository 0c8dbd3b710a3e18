"""Our own questions beyond chapter 3: what the judge reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from hedgerow.showing.figures import LOOKS
from hedgerow_study.experiments.comparisons import DATASETS
from hedgerow_study.experiments.paired import statistics_without_dataset
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.noise_models.plan import COMPARED, METHODS
from hedgerow_study.extensions.noise_models.statistics import rows_of
from hedgerow_study.reporting.claims import judged


@step()
def claims(
    rows: pd.DataFrame,
    statistics: pd.DataFrame,
    specification: Mapping[str, Any],
    statements: pd.DataFrame,
) -> pd.DataFrame:
    """Judge the questions about noise models, by the accuracy at the largest noise factor."""
    accuracies = rows[rows["metric"] == "accuracy"]
    accuracies = accuracies[accuracies["noise"] == accuracies["noise"].max()]
    families = list(COMPARED.families(rows_of(accuracies)))
    columns = [*COMPARED.key, "difference"]

    def over_data_sets(tests: pd.DataFrame) -> pd.DataFrame:
        return _read(tests.assign(pairing=DATASETS))

    def without(left_out: str) -> dict[str, pd.DataFrame]:
        return statistics_without_dataset(families, columns, left_out, read=over_data_sets)

    read, names = {"statistics": _read(statistics)}, sorted(set(accuracies["dataset"]))
    labels = {method: LOOKS[method].label for method in METHODS}
    return judged("noise_models", read, specification, statements, names, without, labels)


def _read(statistics: pd.DataFrame) -> pd.DataFrame:
    """Tests at the largest noise factor, by method and model of the first."""
    tests = statistics[statistics["noise"] == statistics["noise"].max()]
    method, model = (tests["first"].str.split("/").str[k] for k in range(2))
    return tests.assign(difference=tests["difference"].round(6), method=method, model=model)
