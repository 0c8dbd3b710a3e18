"""Statements of thesis 3.4.2, counted in made-up tables."""

import dataclasses

import pytest

from hedgerow.experiments.soft.findings import Finding, findings

CLAIMS = [
    "T3-01",
    "T3-02",
    "T3-03",
    "T3-04",
    "T3-05",
    "T3-06",
    "T3-07",
    "T3-08",
    "T3-09",
    "T3-10",
    "T3-11",
]


def _found(tables, plan):
    both = (tables["thesis_table_3_4"], tables["thesis_table_3_5"])
    return {f.claim: f for f in findings(*both, plan)}


def test_cells_are_counted(made_up, plan):
    """The made-up SE loses 2 points everywhere and the made-up STP has 6 leaves fewer."""
    found = _found(made_up.tables, plan)
    assert list(found) == CLAIMS
    assert (found["T3-04"].held, found["T3-04"].cells) == (6, 6)
    assert found["T3-04"].verdict == "held"
    assert found["T3-10"].verdict == "held"
    # SE is below C4.5 in all cells, which is not the statement; PLT is, which is.
    assert (found["T3-11"].held, found["T3-11"].cells) == (2, 4)
    # UDT has a leaf more and half a point, which is within the statement's point.
    assert (found["T3-09"].held, found["T3-09"].cells) == (12, 12)


def test_directions_are_those_of_the_statements(made_up, plan):
    """With all measured values turned round, what held does not, and the reverse."""
    turned = {
        name: table.assign(measured=-table["measured"])
        for name, table in made_up.tables.items()
        if name != "thesis_table_3_1"
    }
    found = _found(turned, plan)
    for claim in ("T3-01", "T3-03", "T3-04", "T3-05"):
        assert found[claim].held == 0
    assert found["T3-11"].held == 2


def test_gains_that_do_not_grow(made_up, plan):
    """Equal gains at all noise factors have no rank correlation: that is no growth, nor NaN."""
    table = made_up.tables["thesis_table_3_5"]
    gains = table["metric"] == "accuracy_diff_c45"
    flat = {
        **made_up.tables,
        "thesis_table_3_5": table.assign(measured=table["measured"].where(~gains, 2.0)),
    }
    found = _found(flat, plan)["T3-07"]
    assert (found.held, found.cells, found.verdict) == (0, 2, "did not hold")
    assert "nan" not in found.measured


@pytest.mark.parametrize(
    ("methods", "judged"),
    [
        (("c45",), ["T3-01", "T3-02"]),
        (("c45", "ss"), ["T3-01", "T3-02", "T3-03"]),
        (("c45", "se", "plt"), ["T3-01", "T3-02", "T3-10", "T3-11"]),
        (("c45", "udt"), ["T3-01", "T3-02", "T3-09"]),
    ],
)
def test_what_is_not_in_the_tables_is_not_judged(made_up, plan, methods, judged):
    tables = {
        name: table[table["method"].isin(methods)]
        for name, table in made_up.tables.items()
        if name != "thesis_table_3_1"
    }
    fewer = dataclasses.replace(plan, methods=methods)
    assert list(_found(tables, fewer)) == judged


@pytest.mark.parametrize(
    ("held", "verdict"), [(12, "held"), (8, "held in part"), (7, "did not hold")]
)
def test_two_thirds_are_a_part(held, verdict):
    assert Finding("x", held, 12, "").verdict == verdict


@pytest.mark.parametrize(("partly", "verdict"), [(True, "held in part"), (False, "did not hold")])
def test_a_claim_may_say_what_in_part_means(partly, verdict):
    assert Finding("x", 8, 12, "", partly).verdict == verdict
