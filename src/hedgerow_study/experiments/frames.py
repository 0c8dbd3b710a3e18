"""What steps of several experiments share: sorted tables, seeds, chunks, the search of trees."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, seed_sequence

#: Tables by their names, as the workflow gives a step several inputs at once.
Frames: TypeAlias = Mapping[str, pd.DataFrame]


class CombinedSettings:
    """Settings of another experiment, but for some that a plan has of its own."""

    def __init__(self, plan: Any, protocol: Any, names: Sequence[str]):
        self._plan, self._protocol, self._names = plan, protocol, names

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plan if name in self._names else self._protocol, name)


def sorted_(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """A table in the order of some columns, rows that tie as they were, renumbered."""
    return frame.sort_values(list(by), kind="stable").reset_index(drop=True)


def ordered(lines: Sequence[tuple], key: Sequence[str], *values: str) -> pd.DataFrame:
    """Lines of a key and some values as a table in the order of the key."""
    return sorted_(pd.DataFrame(lines, columns=[*key, *values]), key)


def concat_sorted(frames: Sequence[pd.DataFrame], by: Sequence[str]) -> pd.DataFrame:
    """Tables of chunks and data sets in one, so that nothing tells how they were cut."""
    whole = [frame for frame in frames if len(frame)] or list(frames[:1])
    return sorted_(pd.concat(whole, ignore_index=True), by)


def concat_or_empty(
    frames: Sequence[pd.DataFrame], by: Sequence[str], values: Sequence[str]
) -> pd.DataFrame:
    """As `concat_sorted`; without a frame, where no data set is available, its columns."""
    return concat_sorted(frames, by) if frames else pd.DataFrame(columns=[*by, *values])


def numbers_of(plan: Any, setting: str, chosen: Iterable[int] | None) -> list[int]:
    """Numbers of the repeats of a chunk, ascending; without a choice as many as a setting says.

    A job that is given its chunk does not depend on how many there are: the setting is not read.
    """
    return list(range(getattr(plan, setting))) if chosen is None else sorted(set(chosen))


def one_sample(table: TidyTable) -> TidyTable:
    """A table whose only sample is divided as any other set is.

    The synthetic sets of chapter 4 are one sample; those of chapter 3 are many, which are left as
    they are.
    """
    if table.sample is None or len(np.unique(table.sample)) > 1:
        return table
    return dataclasses.replace(table, sample=None)


def random_state(seed: int, experiment: str, dataset: str, number: int | None, stream: str) -> int:
    """Seed of an estimator, from its name (see `hedgerow.data.seed_sequence`)."""
    sequence = seed_sequence(seed, experiment, dataset, number, stream)
    return int(sequence.generate_state(1, dtype=np.uint32)[0])


def draw_rows(table: TidyTable, most: int, draws: np.random.Generator) -> TidyTable:
    """At most so many rows of a table, drawn at random, in the order that they have there."""
    return table.take(np.sort(draws.permutation(len(table.y))[:most]))


def laplace_corrected(shares: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Laplace's correction of class shares (n, n_classes) in leaves of these weights, (n,)."""
    return (shares * weight[:, None] + 1.0) / (weight[:, None] + shares.shape[1])


def clip_probabilities(probabilities: np.ndarray) -> np.ndarray:
    """Probabilities none of which is 0: a class that the training part lacks has no share."""
    whole = np.maximum(probabilities, 1e-6)
    return whole / whole.sum(axis=1, keepdims=True)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Libraries that start threads of their own do not; on a busy machine these cost eight times
    the work. Only libraries that are loaded already are limited."""
    import scipy.linalg  # noqa: F401
    import sklearn.ensemble  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield


def all_classes(probabilities: np.ndarray, classes: Sequence[int], n_classes: int) -> np.ndarray:
    """A column per class of the data set, 0 for those that the training part lacks."""
    whole = np.zeros((len(probabilities), n_classes))
    whole[:, np.asarray(classes, dtype=int)] = probabilities
    return whole


def uct_from(plan: Any, **arguments: Any):
    """UCT-DT with the settings of a plan."""
    # Learners are imported where they are called: tables and figures need no compiled core.
    from hedgerow.search.uct import UCTTreeClassifier
    from hedgerow_study.experiments.search.plan import UctPlan

    settings = {name: getattr(plan, name) for name in UctPlan.settings() if name not in arguments}
    return UCTTreeClassifier(**settings, **arguments)
