"""Illustrations of chapter 3: the numbers behind the figures, against equations and oracles."""

import dataclasses
import math

import numpy as np
import pytest
from oracle.induction import gain, gate, sides
from oracle.noise import misclassified as reference
from scipy import stats

from hedgerow import C45Classifier
from hedgerow.data import fetch, load_registry, tidy
from hedgerow.errors import ConfigError
from hedgerow_study.experiments.soft_illustration import plan as soft_illustration_plan
from hedgerow_study.experiments.soft_illustration import steps as soft_illustration_steps
from hedgerow_study.experiments.soft_illustration import tables as soft_illustration_tables
from hedgerow_study.experiments.soft_illustration.plan import SoftIllustrationPlan


@pytest.fixture(scope="module")
def plan():
    return SoftIllustrationPlan(seed=7, n_draws=20_000)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    entry = load_registry("config/datasets.yaml")["synthetic_lvef"]
    return tidy(entry, fetch(entry, tmp_path_factory.mktemp("raw")))


@pytest.fixture(scope="module")
def results(table, plan):
    return soft_illustration_steps.results(table, plan)


@pytest.fixture(scope="module")
def patients(results):
    return results["thesis_figure_3_7"]


def test_settings_that_are_unknown_are_refused():
    with pytest.raises(ConfigError, match=r"soft_illustration\.noize"):
        SoftIllustrationPlan.from_config({"noize": 1}, 0, "default")


def test_the_same_plan_gives_the_same_numbers(table, plan, results):
    again = soft_illustration_steps.results(table, plan)
    assert sorted(again) == sorted(results)
    for name, frame in results.items():
        assert frame.equals(again[name]), name
    other = soft_illustration_steps.results(table, dataclasses.replace(plan, seed=8))
    assert not other["thesis_figure_3_7"].equals(results["thesis_figure_3_7"])


# ---------------------------------------------------------------------------- figures 3.1, 3.2


def test_figure_3_1_gates_fall_from_one_to_zero(results):
    curves = results["thesis_figure_3_1"].pivot(index="x", columns="gate", values="share_left")
    assert sorted(curves) == ["hard", "normal", "plt", "udt"]
    assert (curves.iloc[0] == 1).all() and (curves.iloc[-1] == 0).all()
    assert (curves.diff().dropna() <= 1e-9).all().all()
    assert curves.loc[0.0].to_dict() == {"hard": 0.0, "normal": 0.5, "plt": 0.5, "udt": 0.5}


def test_figure_3_1_gates_are_their_equations(results):
    curves = results["thesis_figure_3_1"].pivot(index="x", columns="gate", values="share_left")
    lower, upper = soft_illustration_plan.PLT_BOUNDS
    assert curves.loc[lower / 2, "plt"] == pytest.approx(0.75)
    assert curves.loc[round(upper / 2, 2), "plt"] == pytest.approx(0.25)
    assert curves.loc[-1.0, "normal"] == pytest.approx(stats.norm.cdf(1), abs=1e-6)
    cut = soft_illustration_plan.UDT_HALF_WIDTH
    want = (stats.norm.cdf(1) - stats.norm.cdf(-cut)) / (stats.norm.cdf(cut) - stats.norm.cdf(-cut))
    assert curves.loc[-1.0, "udt"] == pytest.approx(want, abs=1e-6)
    assert curves.loc[-cut, "udt"] == 1 and curves.loc[cut, "udt"] == 0


def test_figure_3_1_is_cut_where_the_window_of_the_plan_ends(plan):
    curves = soft_illustration_steps.gates(dataclasses.replace(plan, window=4.0))
    normal = curves[curves["gate"] == "normal"].set_index("x")["share_left"]
    assert normal.loc[-2.05] == 1.0 and normal.loc[2.05] == 0.0
    assert normal.loc[-1.95] == pytest.approx(stats.norm.cdf(1.95), abs=1e-6)


def test_figure_3_2_is_equation_3_8(results):
    frame = results["thesis_figure_3_2"].set_index("tau")
    step = soft_illustration_plan.SHOWN_STEP
    for tau in frame.index:
        want = stats.norm.cdf(tau) - stats.norm.cdf(tau - step)
        if tau == frame.index[0]:
            want = stats.norm.cdf(tau)
        elif tau == frame.index[-1]:
            want = 1 - stats.norm.cdf(tau - step)
        assert frame.loc[tau, "increment"] == pytest.approx(want, abs=1e-6)
    assert frame["increment"].sum() == pytest.approx(1, abs=1e-5)
    assert frame["increment_cut"].sum() == pytest.approx(1, abs=1e-5)
    assert frame["increment_cut"].iloc[0] == 0


# ---------------------------------------------------------------------------- figures 3.3, 3.4


def test_figure_3_3_gains_are_the_references(results):
    for (panel, search), curve in results["thesis_figure_3_3"].groupby(["panel", "search"]):
        values, labels = soft_illustration_plan.TOY[panel]
        sigma = soft_illustration_plan.TOY_SIGMA if search == "ss" else 0.0
        known = [(i, 1.0) for i in range(4)]
        for row in curve.itertuples():
            left, right = sides(known, [gate(v, row.threshold, sigma) for v in values], labels, 2)
            want = gain(left, right) if min(sum(left), sum(right)) > 0 else 0.0
            assert row.gain == pytest.approx(want, abs=2e-6)
        assert curve["chosen"].sum() == 1
        assert curve.loc[curve["chosen"], "gain"].item() == pytest.approx(curve["gain"].max())


def test_figure_3_3b_does_not_come_out_as_described(results):
    """The text has C4.5 at .2 or 2 and soft search close to 0 (method notes, figure 3.3b)."""
    frame = results["thesis_figure_3_3"]
    hard = frame[(frame["panel"] == "b") & (frame["search"] == "hard")].set_index("threshold")
    assert hard["gain"].to_dict() == {-0.2: 0.311278, 0.2: 0.0, 2.0: 0.311278}
    soft = frame[(frame["panel"] == "b") & (frame["search"] == "ss")]
    assert abs(soft.loc[soft["chosen"], "threshold"].item()) == pytest.approx(1.1, abs=0.03)
    near = soft[soft["threshold"].abs() < 0.2]
    assert near["gain"].max() < 0.25 * soft["gain"].max()


def test_figure_3_4_corrected_is_the_oracle_and_what_draws_give(results, plan):
    frame = results["thesis_figure_3_4"]
    for row in frame.itertuples():
        want = reference(row.x, row.sigma, noisy=row.panel == "b")
        assert row.corrected == pytest.approx(want, abs=1e-6)
    drawn = frame.dropna(subset="simulated")
    assert sorted(set(drawn["sigma"])) == list(soft_illustration_plan.SIMULATED_SIGMAS)
    error = np.sqrt(drawn["corrected"] * (1 - drawn["corrected"]) / plan.n_draws)
    distance = (drawn["simulated"] - drawn["corrected"]).abs()
    assert (distance < 4.5 * error + 1e-6).all()
    printed = (drawn["simulated"] - drawn["printed"]).abs()
    assert printed.max() > 8 * error.max(), "the printed form is off by more than chance"


def test_figure_3_4_printed_form():
    """P(d < 0) = Phi(4 / (2 sigma)): .841 at sigma = 2, where .921 is right."""
    below = stats.norm.cdf(-1 / (2 * math.sqrt(0.5)))
    want = 0.841345 * below + (1 - 0.841345) * (1 - below)
    assert soft_illustration_steps.misclassified(1.0, 2.0, False, as_printed=True) == pytest.approx(
        want, abs=1e-5
    )


@pytest.mark.parametrize("noisy", [False, True])
def test_figure_3_4_a_draw_is_what_c45_does(noisy):
    """The simulation takes no trees, for speed; here it is compared with fitted ones."""
    rng = np.random.default_rng(3)
    for _ in range(100):
        x1, x4, e = rng.normal(-2, 3), rng.normal(2, 3), rng.normal(0, 3) * noisy
        model = C45Classifier(candidates="midpoints", min_samples_split=2, prune=False)
        model.fit([[x1], [x4]], [0, 1])
        for x in soft_illustration_plan.TEST_VALUES:
            predicted_0 = model.predict([[x + e]])[0] == 0
            assert predicted_0 == ((x + e < (x1 + x4) / 2) == (x1 < x4))


def test_figure_3_4_the_soft_tree(results):
    """STP: a leaf holds Phi(2 / sigma) of its own class; with SE the two are mixed."""
    frame = results["thesis_figure_3_4"].set_index(["panel", "x", "sigma"])["tree"]
    own = stats.norm.cdf(2 / 2.0)
    assert frame["a", 1.0, 2.0] == pytest.approx(1 - own, abs=1e-6)
    left = stats.norm.cdf(-1 / 2.0)
    assert frame["b", 1.0, 2.0] == pytest.approx(left * own + (1 - left) * (1 - own), abs=1e-6)


# ------------------------------------------------------------------------------- LVEF (synthetic)


def test_synthetic_values_say_so_in_every_row(results):
    for name in ("thesis_figure_3_7", "thesis_figure_3_8"):
        assert set(results[name]["dataset"]) == {"synthetic_lvef"}


def test_outcomes_follow_from_the_limit(patients):
    below = patients["lvef_noisy"] < 35
    eligible = patients["lvef"] < 35
    assert (patients["eligible"] == eligible).all()
    for outcome, rows in (
        ("tp", eligible & below),
        ("fn", eligible & ~below),
        ("fp", ~eligible & below),
        ("tn", ~eligible & ~below),
    ):
        assert ((patients["outcome"] == outcome) == rows).all()


def test_noise_is_a_share_of_the_mean(patients, plan):
    error = patients["lvef_noisy"] - patients["lvef"]
    sd = plan.noise * patients["lvef"].mean()
    assert abs(error.mean()) < 4 * sd / math.sqrt(500)
    assert error.std() == pytest.approx(sd, rel=0.12)


def test_expected_errors_are_what_many_draws_give(table, patients, plan):
    expected = soft_illustration_tables.expected_errors(patients, plan)
    counts = [
        soft_illustration_steps.lvef(table, dataclasses.replace(plan, seed=s))[
            "outcome"
        ].value_counts()
        for s in range(200)
    ]
    for outcome in ("fn", "fp"):
        mean = np.mean([c.get(outcome, 0) for c in counts])
        assert mean == pytest.approx(expected[outcome], abs=0.6)


def test_figure_3_8_counts_and_increments_hold_every_patient(results, plan):
    frame = results["thesis_figure_3_8"]
    sums = frame.groupby("panel")[["y0", "y1"]].sum()
    np.testing.assert_allclose(sums.loc[["a", "b"]], [[454, 46]] * 2)
    # The last grid point lies within a step of the end of the window.
    np.testing.assert_allclose(sums.loc["c"], [454, 46], atol=0.01)
    assert frame.groupby("panel")["chosen"].sum().to_dict() == {"a": 1, "b": 1, "c": 1}
    assert frame[frame["panel"] != "c"].groupby("panel")["gain"].apply(
        lambda g: g.isna().sum()
    ).to_dict() == {"a": 1, "b": 1}


def test_figure_3_8_the_hard_tree_splits_at_the_first_value_that_is_not_eligible(results, patients):
    frame = results["thesis_figure_3_8"]
    chosen = frame[(frame["panel"] == "a") & frame["chosen"]]["threshold"].item()
    assert chosen == patients.loc[patients["lvef"] >= 35, "lvef"].min()


def test_table_3_2_stp_is_less_extreme(results):
    frame = results["thesis_table_3_2"].set_index(["method", "leaf"])
    np.testing.assert_allclose(frame["p_y0"] + frame["p_y1"], 1, atol=2e-6)
    assert frame.groupby("method")["weight"].sum().to_dict() == pytest.approx(
        {"c45": 500, "stp": 500}, abs=1e-3
    )
    assert frame.loc[("stp", "left"), "p_y1"] < frame.loc[("c45", "left"), "p_y1"]
    assert frame.loc[("stp", "right"), "p_y0"] < frame.loc[("c45", "right"), "p_y0"]


def test_table_3_3_is_equation_3_10_at_one_pure_test(results, patients, plan):
    frame = results["thesis_table_3_3"]
    sd = plan.uncertainty * patients["lvef"].mean()
    left = stats.norm.cdf((frame["threshold"] - frame["lvef_noisy"]) / sd)
    np.testing.assert_allclose(frame["p_y1_se"], left, atol=2e-6)
    fn = frame["group"] == "false_negative"
    assert (frame.loc[fn, "p_y0_hard"] == 1).all() and (frame.loc[~fn, "p_y1_hard"] == 1).all()
    assert (frame.loc[fn, "p_y1_se"] < 0.5).all() and (frame.loc[~fn, "p_y0_se"] < 0.5).all()
    assert (frame.loc[fn, "lvef"] < 35).all() and (frame.loc[~fn, "lvef"] >= 35).all()
    threshold = frame["threshold"].iloc[0]
    wrong = (patients["lvef_noisy"] < threshold) != (patients["eligible"] == 1)
    assert sorted(frame["patient"]) == sorted(patients.loc[wrong, "patient"])


def test_without_noise_nobody_is_misclassified(table, plan):
    """Edge: every table and figure still has its columns."""
    results = soft_illustration_steps.results(
        table, dataclasses.replace(plan, noise=0.0, n_draws=10)
    )
    assert len(results["thesis_table_3_3"]) == 0
    assert set(results["thesis_figure_3_7"]["outcome"]) == {"tn", "tp"}
    silent = dataclasses.replace(plan, noise=0.0)
    expected = soft_illustration_tables.expected_errors(results["thesis_figure_3_7"], silent)
    assert expected == {"fn": 0.0, "fp": 0.0}
