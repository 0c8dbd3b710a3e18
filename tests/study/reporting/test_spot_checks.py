"""What a draw of parts tells of all: the bound, by counting and by simulation, and its words."""

from __future__ import annotations

import json
from math import comb

import numpy as np
import pytest

from hedgerow.errors import DataError
from hedgerow_study.reporting.spot_checks import (
    FILE,
    most_that_differ,
    needed,
    read_draws,
    sentence,
)


def chance_of_so_few(n_parts, n_drawn, n_unlike, differ):
    """That a draw holds so many parts that differ, or fewer, by counting draws."""
    ways = sum(
        comb(differ, k) * comb(n_parts - differ, n_drawn - k)
        for k in range(n_unlike + 1)
        if k <= differ and n_drawn - k <= n_parts - differ
    )
    return ways / comb(n_parts, n_drawn)


@pytest.mark.parametrize("n_parts", [1, 2, 7, 35, 212])
def test_the_bound_is_the_largest_number_that_a_draw_does_not_speak_against(n_parts):
    for n_drawn in {0, 1, n_parts // 3, n_parts - 1, n_parts}:
        for n_unlike in {0, min(1, n_drawn), min(3, n_drawn)}:
            possible = range(n_unlike, n_parts - (n_drawn - n_unlike) + 1)
            by_counting = max(
                k for k in possible if chance_of_so_few(n_parts, n_drawn, n_unlike, k) >= 0.05
            )
            assert most_that_differ(n_parts, n_drawn, n_unlike) == by_counting


@pytest.mark.parametrize("n_parts, n_drawn, differ", [(212, 10, 54), (60, 20, 9), (40, 5, 2)])
def test_the_bound_holds_in_19_of_20_draws(n_parts, n_drawn, differ):
    rng = np.random.default_rng(4)
    unlike = rng.hypergeometric(differ, n_parts - differ, n_drawn, 20_000)
    bounds = {k: most_that_differ(n_parts, n_drawn, k) for k in np.unique(unlike).tolist()}
    held = np.mean([bounds[k] >= differ for k in unlike.tolist()])
    assert held >= 0.95 - 0.005  # three standard errors of the simulation


def test_how_many_parts_would_be_enough():
    for n_parts, below in ((212, 10), (35, 1), (10, 3)):
        n = needed(n_parts, below)
        assert most_that_differ(n_parts, n) < below <= most_that_differ(n_parts, n - 1)
    assert needed(5, 0) == 5  # none may differ: all are drawn


@pytest.mark.parametrize("draw", [(5, 6, 0), (5, 3, 4), (5, 3, -1)])
def test_no_draw(draw):
    with pytest.raises(ValueError, match="is no draw"):
        most_that_differ(*draw)


def draw(**parts):
    return {"seed": "any words", "n_parts": 212, "parts": parts}


def test_what_is_said():
    equal = {f"p{i}": "equal" for i in range(10)}
    assert sentence(draw(**equal)) == (
        '10 of 212 parts, drawn by "any words", are equal; with 95 % confidence at most 53 of the '
        "212 differ; 54 parts would bring that below 10."
    )
    one = sentence(draw(**equal | {"p0": "differs"}))
    assert one.startswith('9 of 212 parts, drawn by "any words", are equal, 1 differs; with')
    assert "would bring" not in one
    # A part that was not made again may differ: the bound counts it so.
    other = sentence(draw(**equal | {"p0": "not made"}))
    assert "1 could not be made again" in other and "at most 82 of the 212" in other
    every = {"seed": "s", "n_parts": 2, "parts": {"a": "equal", "b": "equal"}}
    assert sentence(every).endswith("at most 0 of the 2 differ.")


def test_draws_on_record(tmp_path):
    assert read_draws(tmp_path) == []
    file = tmp_path / FILE
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"draws": [draw(a="equal")]}))
    assert read_draws(tmp_path) == [draw(a="equal")]
    for wrong in ({}, {"draws": [{"seed": 1}]}, {"draws": [draw(a="fine")]}, {"draws": [draw()]}):
        file.write_text(json.dumps(wrong))
        with pytest.raises(DataError, match="is damaged"):
            read_draws(tmp_path)
