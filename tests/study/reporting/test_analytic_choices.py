"""Analyses of a paper: which there are, what has to be run for them, and what they say."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hedgerow.data import load_registry
from hedgerow.errors import ConfigError
from hedgerow.files import read_csv, read_yaml
from hedgerow_study.experiments.choice_distances import distances
from hedgerow_study.experiments.plan import sections
from hedgerow_study.experiments.published_cells import KEY
from hedgerow_study.experiments.soft.plan import RECIPES
from hedgerow_study.reporting.analytic_choices import (
    HERE,
    Choices,
    Run,
    alternatives_of,
    choices_digest,
    contains,
    left_out,
    pairs_of,
    products_of,
    read_choices,
    runs_needed,
    runs_of,
    set_beside,
    settings_of,
    shapley_shares,
    singles_of,
    word_of,
)

ROOT = Path(__file__).parents[3]
ANALYTIC_CHOICES = read_choices(read_yaml(ROOT / "config/analytic_choices.yaml"))
EVERY = [(experiment, name) for experiment, own in ANALYTIC_CHOICES.items() for name in own.choices]


def choice(*names, methods=(), touches=("X-1", "X-2"), without=()):
    """A choice with so many alternatives, each of which is a setting's value."""
    otherwise = {n: {"settings": {f"is_{n}": n}} for n in names}
    otherwise |= {n: {"without": [n]} for n in without}
    said = {"open": "not said", "place": "1.1", "here": "so", "touches": list(touches)}
    return said | {"otherwise": otherwise} | ({"methods": list(methods)} if methods else {})


def choices(products=(), pairs=(), **of) -> Choices:
    more = {"products": list(products)} if products else {}
    more |= {"pairs": list(pairs)} if pairs else {}
    return read_choices({"soft": {"choices": of} | more})["soft"]


#: Two choices of one method each, one of all, and one that leaves out data.
FOUR = {
    "a": choice("a1", "a2", methods=["se"]),
    "b": choice("b1", methods=["plt"]),
    "c": choice("c1"),
    "d": choice(without=["iris"]),
}
PRODUCT = {"claims": ["X-1"], "choices": ["d", "c", "b", "a"], "methods": ["c45", "se", "plt"]}


# -------------------------------------------------------------------------------- the file


@pytest.mark.parametrize("experiment, name", EVERY)
def test_each_choice_is_one_of_settings_that_there_are(experiment, name):
    """A plan takes each alternative, and it differs from what the configurations have."""
    plan = sections()[experiment]
    one = ANALYTIC_CHOICES[experiment].choices[name]
    for alternative in one.otherwise.values():
        assert alternative.settings or alternative.without
        plan(**alternative.settings)
        for configuration in ("default", "paper", "multiverse"):
            here = read_yaml(ROOT / f"config/{configuration}.yaml").get(experiment, {})
            shared = alternative.settings.items() & _hashable(here).items()
            assert not shared, f"{configuration}.yaml reads it so already"
        assert set(alternative.without) <= set(load_registry())


def _hashable(section):
    return {k: tuple(v) if isinstance(v, list) else v for k, v in section.items()}


@pytest.mark.parametrize("experiment, name", EVERY)
def test_each_choice_touches_claims_of_its_experiment(experiment, name):
    statements = read_csv(ROOT / "data/published/claims.csv").set_index("claim_id")["experiment"]
    one = ANALYTIC_CHOICES[experiment].choices[name]
    assert {statements[claim] for claim in one.touches} == {experiment}
    methods = sections()[experiment].settings().get("methods")
    assert set(one.methods) <= set(methods.choices if methods else ())


#: Which methods of chapter 3 each choice that does not change all acts on, by their recipes.
ACTS_ON = {
    "gates": lambda recipe: "stp" in recipe.learner or recipe.evaluation == "noise",
    "ties": lambda recipe: "stp" in recipe.learner or recipe.evaluation == "noise",
    "crossings": lambda recipe: recipe.evaluation == "plt",
    "bounds": lambda recipe: recipe.evaluation == "plt",
    "leaf votes": lambda recipe: recipe.evaluation is not None,
    "counts of UDT": lambda recipe: recipe.learner == "udt",
    "grid": lambda recipe: recipe.tuned,
}


def test_choices_of_chapter_3_name_all_methods_that_they_act_on():
    """Those that are made of several parts were left out, so that a product with them had kept
    their rows as they are here."""
    named = {name: set(one.methods) for name, one in ANALYTIC_CHOICES["soft"].choices.items()}
    assert {name for name, methods in named.items() if methods} == set(ACTS_ON)
    for name, acts in ACTS_ON.items():
        assert named[name] == {method for method, recipe in RECIPES.items() if acts(recipe)}, name


def test_alternatives_stand_in_the_order_of_the_file():
    two = choices(b=choice("y", "x"), a=choice("z"))
    assert alternatives_of(two) == ["b=y", "b=x", "a=z"]


@pytest.mark.parametrize("experiment", ANALYTIC_CHOICES)
def test_repeats_are_a_setting_and_every_one_that_the_configuration_lowers(experiment):
    repeats = ANALYTIC_CHOICES[experiment].repeats
    assert repeats in sections()[experiment].settings()
    lowered = read_yaml(ROOT / "config/multiverse.yaml").get(experiment, {})
    lowered.pop("chunk", None)  # how work is cut lowers nothing
    assert not lowered or repeats in lowered


def test_every_experiment_of_a_paper_has_its_choices():
    statements = read_csv(ROOT / "data/published/claims.csv")
    assert set(ANALYTIC_CHOICES) == set(statements["experiment"]) - {"soft_sweep"}


def test_a_product_of_what_is_not_there_is_refused():
    with pytest.raises(ConfigError, match=r"`soft\.products\.0` names `e`, which is no choice"):
        choices([{"claims": ["X-1"], "choices": ["a", "e"]}], **FOUR)
    with pytest.raises(ConfigError, match="has X-3 with `a`, which does not touch it"):
        choices([{"claims": ["X-3"], "choices": ["a"]}], **FOUR)
    with pytest.raises(ConfigError, match="called `a=1`"):
        choices(a=choice("a=1"))
    with pytest.raises(ConfigError):
        choices(a=choice("a1") | {"opne": "a word that is unknown"})


# ----------------------------------------------------------------------------- which there are


def test_a_product_has_each_combination_once_and_here_first():
    found = products_of(choices([PRODUCT], **FOUR))
    assert found[0].id == HERE and not found[0].taken
    taken = [tuple(analysis.taken.items()) for analysis in found]
    assert len(set(taken)) == len(taken) == 3 * 2 * 2 * 2
    assert found[-1].id == "a=a2, b=b1, c=c1, d=iris"
    assert all(analysis.claims == ("X-1",) for analysis in found)


def test_what_no_product_reads_is_changed_alone():
    found = singles_of(choices([PRODUCT], **FOUR))
    # X-2 is in no product, X-1 in one with all choices.
    assert [(r.id, r.claims) for r in found] == [
        (HERE, ("X-2",)),
        ("a=a1", ("X-2",)),
        ("a=a2", ("X-2",)),
        ("b=b1", ("X-2",)),
        ("c=c1", ("X-2",)),
        ("d=iris", ("X-2",)),
    ]


def test_a_pair_is_read_for_what_both_touch_and_no_product_reads():
    of = {**FOUR, "f": choice("f1", touches=["X-2", "X-3"]), "e": choice("e1", "e2")}
    found = pairs_of(choices([PRODUCT], pairs=[["f", "a"], ["e", "a"], ["c", "d"]], **of))
    assert [(r.id, r.claims) for r in found] == [
        # In the order of the file, whichever way the pair is written.
        ("a=a1, f=f1", ("X-2",)),
        ("a=a2, f=f1", ("X-2",)),
        # The product reads X-1 with `a`, but not with `e`.
        *((f"a={a}, e={e}", ("X-1", "X-2")) for a in ("a1", "a2") for e in ("e1", "e2")),
        ("c=c1, d=iris", ("X-2",)),
    ]


@pytest.mark.parametrize(
    "pair, said",
    [
        (["a", "z"], "names `z`, which is no choice"),
        (["a"], "is no pair"),
        (["a", "b", "c"], "is no pair"),
    ],
)
def test_a_pair_of_what_is_not_there_is_refused(pair, said):
    with pytest.raises(ConfigError, match=rf"`soft\.pairs\.0` {said}"):
        choices(pairs=[pair], **FOUR)


def test_analyses_of_one_product_and_of_none_are_set_beside_what_is_printed():
    small = {"claims": ["X-3"], "choices": ["c"], "methods": ["c45"]}
    of = {**FOUR, "c": choice("c1", touches=["X-1", "X-2", "X-3"])}
    own = choices([PRODUCT, small], **of)
    analyses = [*products_of(own), *singles_of(own)]
    beside = set_beside(analyses, own)
    assert [r.claims == ("X-3",) for r in analyses] == [not one for one in beside]


def test_a_digest_is_of_what_is_read_and_not_of_words():
    digest = choices_digest(choices([PRODUCT], **FOUR))
    told = {n: c | {"open": "said otherwise", "here": "as told"} for n, c in FOUR.items()}
    assert choices_digest(choices([PRODUCT], **told)) == digest
    more = {**FOUR, "a": choice("a1", "a2", "a3", methods=["se"])}
    assert choices_digest(choices([PRODUCT], **more)) != digest
    assert choices_digest(choices([PRODUCT], pairs=[["a", "b"]], **FOUR)) != digest


def test_a_choice_that_is_changed_alone_runs_the_methods_that_it_changes():
    own, methods = choices([PRODUCT], **FOUR), ["c45", "ss", "se", "plt"]
    alone = {r.id: runs_of(r, own, None, methods) for r in singles_of(own)}
    assert alone["a=a1"] == [Run((("a", "a1"),), ("se",))]
    assert alone["c=c1"] == [Run((("c", "c1"),), tuple(methods))]
    assert alone[HERE] == alone["d=iris"] == []
    # An experiment without methods runs whole.
    assert runs_of(singles_of(own)[1], own) == [Run((("a", "a1"),), ())]


def test_rows_put_together_are_those_of_a_run_of_its_own():
    """What a method does hangs on the choices that change it: runs of single methods suffice."""
    own = choices([PRODUCT], **FOUR)

    def rows(taken, methods):
        """A number for each method, as the alternatives that change it make it."""
        changing = {m: [n for n in own.choices if _changes(own, n, m)] for m in methods}
        return {m: hash(tuple((n, taken.get(n)) for n in changing[m])) for m in methods}

    here = rows({}, PRODUCT["methods"])
    for analysis in products_of(own):
        made = dict(here)
        for run in runs_of(analysis, own):
            assert run.methods
            made |= rows(dict(run.taken), run.methods)
        taken = {n: a for n, a in analysis.taken.items() if n != "d"}
        assert made == rows(taken, PRODUCT["methods"])


def _changes(own, name, method):
    methods = own.choices[name].methods
    return name != "d" and (not methods or method in methods)


def test_few_runs_serve_a_product():
    own = choices([PRODUCT, {"claims": ["X-2"], "choices": ["c"], "methods": ["c45"]}], **FOUR)
    analyses = products_of(own)
    needed = runs_needed(analyses, own)
    # By method: se 3 x 2, plt 2 x 2, all 2; without those as here, and of c alone one for all.
    assert len(needed) == (3 * 2 - 2) + (2 * 2 - 2) + 1
    assert Run((("c", "c1"),), ("c45", "se", "plt")) in needed
    for analysis in analyses:
        for run in runs_of(analysis, own):
            assert sum(contains(other, run) for other in needed) == 1


def test_without_methods_everything_is_run_together():
    own = choices([{"claims": ["X-1"], "choices": ["a", "c"]}], **FOUR)
    (run,) = runs_of(products_of(own)[-1], own)
    assert run == Run((("a", "a2"), ("c", "c1")), ())
    assert settings_of(run.taken, own) == {"is_a2": "a2", "is_c1": "c1"}
    only = products_of(choices([{"claims": ["X-1"], "choices": ["d"]}], **FOUR))
    assert [left_out(analysis, own) for analysis in only] == [[], ["iris"]]
    assert runs_of(only[1], own) == []


def test_two_values_of_one_setting_are_refused():
    again = choice("e1") | {"otherwise": {"e1": {"settings": {"is_a1": "other"}}}}
    own = choices(a=FOUR["a"], e=again)
    with pytest.raises(ConfigError, match="give `is_a1` two values"):
        settings_of([("a", "a1"), ("e", "e1")], own)


# ------------------------------------------------------------------------------ what they say


@pytest.mark.parametrize(
    "reproduced, n, word",
    [
        (7, 7, ""),
        (0, 0, ""),
        (8, 8, "in all"),
        (19, 20, "in some"),  # was `robust`, as one verdict had nine tenths
        (1, 8, "in some"),
        (1, 1000, "in some"),
        (0, 9, "in none"),  # `robust` where all were partly reproduced, else `refuted`
    ],
)
def test_a_word_for_a_claim(reproduced, n, word):
    """`refuted` stood on claims that are partly reproduced, `robust` on some that never are."""
    assert word_of(reproduced / n if n else float("nan"), n) == word
    assert word_of(float(f"{reproduced / n:.4g}") if n else 0.0, n) == word, "as files have it"


def by_orders(frame, names, value):
    """Shapley shares from their definition: what a choice adds, mean over all orders."""
    total = frame[value].var(ddof=0)
    found = dict.fromkeys(names, 0.0)
    for order in itertools.permutations(names):
        before = 0.0
        for n, name in enumerate(order):
            means = frame.groupby(list(order[: n + 1]))[value].transform("mean")
            after = means.var(ddof=0)
            found[name] += (after - before) / total / math.factorial(len(names))
            before = after
    return found


@pytest.mark.parametrize("seed", range(5))
def test_shapley_shares_against_their_definition(seed):
    random = np.random.default_rng(seed)
    levels = {"a": range(2), "b": range(3), "c": range(2), "d": range(2)}
    frame = pd.DataFrame(itertools.product(*levels.values()), columns=[*levels])
    frame["value"] = random.choice([0.0, 0.5, 1.0], len(frame))
    found = shapley_shares(frame, list(levels), "value")
    assert found == pytest.approx(by_orders(frame, list(levels), "value"))
    assert sum(found.values()) == pytest.approx(1.0)


def test_shares_of_a_choice_that_decides_alone_and_of_nothing():
    frame = pd.DataFrame(itertools.product(range(2), range(3)), columns=["a", "b"])
    frame["value"] = frame["a"].astype(float)
    assert shapley_shares(frame, ["a", "b"], "value") == pytest.approx({"a": 1.0, "b": 0.0})
    assert shapley_shares(frame.assign(value=1.0), ["a", "b"], "value") == {}
    with pytest.raises(ValueError, match="no full product"):
        shapley_shares(frame.iloc[1:], ["a", "b"], "value")


# ------------------------------------------------------------------ beside what is printed


def naive_distance(cells, analysis, without=None):
    """The distance of an analysis, from its definition, cell by cell."""
    analyses = set(cells["analysis"])
    squares = {}
    for key, own in cells.groupby(KEY):
        own = own.dropna(subset=["measured", "published_value"]).set_index("analysis")
        if set(own.index) != analyses or key[0] == without:
            continue
        here = own.loc[HERE]
        unit = here["sd"] if here["sd"] == here["sd"] else (here["high"] - here["low"]) / 3.92
        if not unit > 0:
            alike = cells[(cells["table"] == key[0]) & (cells["metric"] == key[5])]
            unit = alike[alike["analysis"] == HERE]["published_value"].std()
        if unit > 0:
            one = own.loc[analysis]
            square = ((one["measured"] - one["published_value"]) / unit) ** 2
            squares.setdefault(key[0], []).append(square)
    return math.sqrt(np.mean([np.mean(own) for own in squares.values()]))


def made_up_cells(seed):
    random = np.random.default_rng(seed)
    rows = []
    for table, n in (("a", 5), ("b", 3), ("c", 4)):
        for k in range(n):
            published, sd = random.normal(), random.choice([np.nan, 0.0, 0.5, 2.0])
            low = random.choice([np.nan, -1.0])
            for analysis in (HERE, "gates=midpoint", "votes=labels"):
                measured = np.nan if random.random() < 0.05 else published + random.normal()
                key = dict(zip(KEY, (table, "mean", "se", "", str(k), "accuracy"), strict=True))
                rows.append(
                    {
                        "analysis": analysis,
                        **key,
                        "published_value": published,
                        "measured": measured,
                    }
                    | {"sd": sd, "low": low, "high": -low, "unit": "percent"}
                )
    return pd.DataFrame(rows)


@pytest.mark.parametrize("seed", range(8))
def test_distances_against_their_definition(seed):
    cells = made_up_cells(seed)
    found = distances(cells).set_index("analysis")
    assert found["distance"].is_monotonic_increasing
    for analysis in found.index:
        assert found["distance"][analysis] == pytest.approx(naive_distance(cells, analysis))
    first = dict.fromkeys(found.index, 0)
    for table in "abc":
        apart = {analysis: naive_distance(cells, analysis, table) for analysis in found.index}
        first[min(apart, key=apart.get)] += 1
    assert found["n_first"].to_dict() == first


def test_nothing_is_near_where_nothing_is_measured():
    cells = made_up_cells(0)
    assert distances(cells.assign(measured=np.nan)).empty
