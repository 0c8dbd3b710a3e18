"""An illustration with real repeats: several recordings of a person, one of which is answered.

Persons are divided into a training and a test part, with all their recordings. Errors of
measurement are not drawn but found: over the training persons from how their recordings differ,
and for the recording that is answered from the other recordings of the same person. Whether those
others would be answered alike is known, so that the probability of another answer, which `explain`
gives, is held against what happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, rng, split_groups
from hedgerow_study.experiments.frames import (
    all_classes,
    clip_probabilities,
    numbers_of,
    one_thread,
    random_state,
    sorted_,
)
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.uncertainty_benchmark.plan import (
    EXPERIMENT,
    UncertaintyBenchmarkPlan,
)
from hedgerow_study.extensions.uncertainty_benchmark.steps import scores

LINES = ["dataset", "repeat", "method", "metric", "value"]
TEST_SIZE = 0.3  # of the persons
#: Learner, and whether it is given the errors of the recording that it classifies.
PEOPLE = {
    "c45": ("c45", False),
    "c45_given": ("c45", True),
    "uncertain_data_tree": ("uncertain_data_tree", True),
    "forest": ("forest", False),
}


@step("n_trees", "seed")
def people(
    table: TidyTable, plan: UncertaintyBenchmarkPlan, repeats: Iterable[int] | None = None
) -> pd.DataFrame:
    """Predictions for one recording of each test person, with and without its errors.

    Metrics: accuracy and log_loss over test persons; changes, the share of their other recordings
    that are answered otherwise than the one; expected_changes, what `explain` says of that on
    average.
    """
    lines = []
    with one_thread():
        for number in numbers_of(plan, "n_people", repeats):
            for method, metric, value in _scores_of(table, number, plan):
                lines.append((table.name, number, method, metric, round(value, 6)))
    return sorted_(pd.DataFrame(lines, columns=LINES).astype({"value": float}), LINES[:-1])


def _scores_of(table: TidyTable, number: int, plan: UncertaintyBenchmarkPlan) -> Iterator[tuple]:
    """Method, metric and value of one repeat, a split of the persons."""
    from hedgerow.explanation.repeats import error_from_repeats
    from hedgerow.induction.uncertain_table import Uncertain

    parts = split_groups(table, number, seed=plan.seed, experiment=EXPERIMENT, test_size=TEST_SIZE)
    train, test = (table.take(rows) for rows in parts)
    of_training = error_from_repeats(train.X.assign(person=train.group), by="person")["error"]
    answered = _classified_rows(test, rng(plan.seed, EXPERIMENT, table.name, number, "recordings"))
    errors = _errors(test, answered)
    one, others = test.take(answered), np.setdiff1d(np.arange(len(test)), answered)
    person = np.searchsorted(one.group, test.group[others])  # whose recording each other one is
    n_classes = len(table.classes)
    noisy = Uncertain(train.X, error=of_training.to_dict())
    for method, (name, tells) in PEOPLE.items():
        state = random_state(plan.seed, EXPERIMENT, table.name, number, method)
        model = _learner(name, plan, state).fit(
            noisy if name == "uncertain_data_tree" else train.X, train.y
        )

        def predict(X, error=None, model=model):
            given = {} if error is None else {"error": error}
            return all_classes(model.predict_proba(X, **given), model.classes_, n_classes)

        probabilities = predict(one.X, errors if tells else None)
        good = scores(one.y, clip_probabilities(probabilities))
        yield from ((method, metric, good[metric]) for metric in ("accuracy", "log_loss"))
        again = predict(test.X.iloc[others], errors.iloc[person] if tells else None)
        changed = again.argmax(axis=1) != probabilities.argmax(axis=1)[person]
        # Each person counts once, however many recordings there are.
        yield method, "changes", float(pd.Series(changed).groupby(person).mean().mean())
        if tells:
            expected_changes = [
                model.explain(one.X.iloc[i], error=errors.iloc[[i]]).changes
                for i in range(len(one))
            ]
            yield method, "expected_changes", float(np.mean(expected_changes))


def _classified_rows(test: TidyTable, draws: np.random.Generator) -> np.ndarray:
    """The number of one row of each person, in the order of the persons."""
    return np.array([draws.choice(np.flatnonzero(test.group == p)) for p in np.unique(test.group)])


def _errors(test: TidyTable, answered: np.ndarray) -> pd.DataFrame:
    """Standard deviation of each variable over the other recordings of each person."""
    rows = []
    for row in answered:
        others = np.flatnonzero(test.group == test.group[row])
        rows.append(test.X.iloc[others[others != row]].std(ddof=1))
    return pd.DataFrame(rows).fillna(0.0).reset_index(drop=True)


def _learner(name: str, plan: UncertaintyBenchmarkPlan, state: int):
    """A learner, not fitted."""
    from sklearn.ensemble import RandomForestClassifier

    from hedgerow.induction.c45 import C45Classifier
    from hedgerow.missing.combined_uncertainty import UncertainDataTreeClassifier

    if name == "forest":
        return RandomForestClassifier(plan.n_trees, random_state=state)
    return (C45Classifier if name == "c45" else UncertainDataTreeClassifier)(smoothing=True)
