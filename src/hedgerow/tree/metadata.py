"""What a tree has beside its arrays, a gate and names, and how JSON holds it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import numpy as np

from hedgerow.errors import InputError
from hedgerow.tree import validation
from hedgerow.tree.gates import gate_from_dict, gate_to_dict

#: In the order of what they name, or from it; a Series of pandas is read by its index.
Names = Sequence[Any] | Mapping[Any, Any]

#: Names of types that JSON does not have, beside a number (of numpy's units) or an ISO date.
DATES = {"date": date, "datetime": datetime}
TIME_DTYPE = re.compile(r"(datetime64|timedelta64)\[(Y|M|W|D|h|m|s|ms|us|ns)\]")


def label_list(labels: Any) -> list:
    """Labels as Python has them; times of numpy stay: nanoseconds would become bare numbers."""
    array = np.asarray(labels)
    return list(array) if array.dtype.kind in "mM" else array.tolist()


def mapping_of(parameter: str, given: Any) -> dict | None:
    """A mapping, or a Series of pandas by its index, as a dictionary; None of a sequence."""
    if isinstance(given, set | frozenset):
        raise InputError(
            f"{parameter} is a set, which has no order",
            remedy="give a list, or a dictionary of what is named to its name",
        )
    if isinstance(given, Mapping):
        return dict(given)
    if not (hasattr(given, "index") and hasattr(given, "to_dict")):
        return None
    if not given.index.is_unique:
        raise InputError(
            f"{parameter} is a Series whose index holds a label twice",
            remedy="give a list, or one name for each label",
        )
    return given.to_dict()


def names_of(parameter: str, given: Any, current_names: Iterable[Any]) -> Any:
    """Names in the order of what they name.

    given : sequence, one for each; or a mapping (or Series) to names from current ones, or from
        numbers where it holds no current one. What it leaves out keeps its name.
    """
    if isinstance(given, list | tuple | np.ndarray):  # by far the most
        return given
    pairs = mapping_of(parameter, given)
    if pairs is None:
        if hasattr(given, "__array__"):  # whose labels keep their types
            return np.asarray(given)
        return list(given)
    names = list(current_names)
    by_text = {str(name): place for place, name in enumerate(names)}
    by_number = {place: place for place in range(len(names))}
    places: dict[Any, int] = by_number
    if any(str(key) in by_text for key in pairs):
        pairs, places = {str(key): name for key, name in pairs.items()}, by_text
    for key, name in pairs.items():
        if isinstance(key, bool) or key not in places:
            shown = ", ".join(repr(text) for text in list(by_text)[:5])
            raise InputError(
                f"{parameter} names {key!r}, which the tree does not know",
                remedy=f"give names to {shown}{', ...' if len(names) > 5 else ''}, or to numbers",
            )
        names[places[key]] = name
    labels = np.empty(len(names), dtype=object)  # numbers beside texts stay numbers
    labels[:] = names
    return labels


def variables_of(names: list[str] | None, feature: np.ndarray, given: Any) -> list[str]:
    """Variables that names may be given to: those of a tree, or as many as are tested or given."""
    if names is not None:
        return names
    pairs = mapping_of("feature_names", given) or {}
    numbers = [key for key in pairs if isinstance(key, int | np.integer)]
    return [f"x{j}" for j in range(1 + max(int(feature.max(initial=-1)), *numbers, -1))]


def label_to_json(label: Any) -> Any:
    """A label as JSON can hold it."""
    if isinstance(label, np.datetime64 | np.timedelta64):
        return {str(label.dtype): int(label.astype(np.int64))}
    if isinstance(label, date):
        kind = "datetime" if isinstance(label, datetime) else "date"
        return {kind: label.isoformat()}
    if label is None or isinstance(label, str | int):
        return label
    if isinstance(label, float) and math.isfinite(label):
        return label
    raise InputError(
        f"the label {label!r} cannot be written to JSON",
        remedy="name classes and categories by texts, numbers or dates, or pickle the tree",
    )


def label_from_json(form: Any) -> Any:
    """The label that `label_to_json` wrote."""
    if form is None or isinstance(form, str | int):
        return form
    if isinstance(form, float) and math.isfinite(form):
        return form
    if isinstance(form, dict) and len(form) == 1:
        ((kind, value),) = form.items()
        counted = TIME_DTYPE.fullmatch(kind)
        if kind in DATES and isinstance(value, str):
            return DATES[kind].fromisoformat(value)
        if counted and isinstance(value, int):
            label = getattr(np, counted[1])(value, counted[2])
            if not np.isnat(label):
                return label
    raise InputError(f"{form!r} is no label of a class or category", remedy="give text or a number")


def metadata_to_json(tree: Any) -> dict:
    """Gate and names of a tree as JSON can hold them."""
    classes = tree.classes
    return {
        "gate": gate_to_dict(tree.gate),
        "classes": None if classes is None else [label_to_json(c) for c in classes],
        "feature_names": tree.feature_names,
        "categories": {
            str(variable): [label_to_json(v) for v in labels]
            for variable, labels in sorted(tree.categories.items())
        },
    }


def metadata_from_json(form: dict) -> dict:
    """Arguments of `Tree` from what `metadata_to_json` wrote."""
    with validation.parse_errors_of("the gate of the tree"):
        gate = gate_from_dict(form["gate"])
    with validation.parse_errors_of("`classes` of the tree"):
        labels = form["classes"]
        classes = (
            None if labels is None else _object_array([label_from_json(c) for c in _list(labels)])
        )
    with validation.parse_errors_of("`feature_names` of the tree"):
        names = form["feature_names"]
        names = None if names is None else [_text(name) for name in _list(names)]
    with validation.parse_errors_of("`categories` of the tree"):
        categories = {
            int(variable): [label_from_json(v) for v in _list(labels)]
            for variable, labels in form["categories"].items()
        }
    return {"gate": gate, "classes": classes, "feature_names": names, "categories": categories}


def _object_array(values: list) -> np.ndarray:
    """Each value as it is: 1 and True, or 1 and "1", would become one type."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _list(value: Any) -> list:
    if not isinstance(value, list):
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
