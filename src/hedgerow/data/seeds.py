"""Named random streams: the same name gives the same numbers, in whatever order jobs run.

A stream is named by (global seed, experiment, data set, repeat, stream). The name is
hashed, so that no draw depends on a position in a loop, on the number of cores or on which
other data sets a configuration holds.
"""

from __future__ import annotations

import hashlib
import json
import operator

import numpy as np

from hedgerow.errors import InputError

__all__ = ["rng", "seed_sequence"]


def seed_sequence(
    seed: int, experiment: str, dataset: str, repeat: int | None, stream: str
) -> np.random.SeedSequence:
    """Seed sequence of a named stream.

    Parameters
    ----------
    seed : int
        The global seed of the configuration, 0 or larger.
    experiment : str
        The experiment's word, such as ``"soft"``: experiments that share splits share it.
    dataset : str
        Key of the data set in the registry.
    repeat : int or None
        Number of the repeat, a train-test split; None for a stream that belongs to no repeat.
    stream : str
        What the numbers are for, such as ``"split"`` or ``"train noise 0.1"``.

    Returns
    -------
    numpy.random.SeedSequence
        Its entropy is the SHA-256 of the name, as an integer of 256 bits.

    Raises
    ------
    InputError
        A part of the name has the wrong type, or a number is negative.

    Examples
    --------
    >>> a = seed_sequence(0, "soft", "wine", 3, "split")
    >>> a.entropy == seed_sequence(0, "soft", "wine", 3, "split").entropy
    True
    """
    for word, value in {"experiment": experiment, "dataset": dataset, "stream": stream}.items():
        if not isinstance(value, str) or not value:
            raise InputError(
                f"{word} is {value!r}", remedy=f"name the {word} by a string that is not empty"
            )
    name = [_whole("seed", seed), experiment, dataset]
    name += [None if repeat is None else _whole("repeat", repeat), stream]
    # JSON keeps ("a", "bc") and ("ab", "c") apart, and 1 and "1".
    text = json.dumps(name, ensure_ascii=True, separators=(",", ":"))
    return np.random.SeedSequence(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


def rng(
    seed: int, experiment: str, dataset: str, repeat: int | None, stream: str
) -> np.random.Generator:
    """Generator (PCG64) of a named stream; the parameters are those of `seed_sequence`.

    The bit generator is named here, because ``numpy.random.default_rng`` may change its own.
    """
    sequence = seed_sequence(seed, experiment, dataset, repeat, stream)
    return np.random.Generator(np.random.PCG64(sequence))


def _whole(word: str, value: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if number < 0 or isinstance(value, bool):
        raise InputError(f"{word} is {value!r}", remedy="give a whole number, 0 or larger")
    return number
