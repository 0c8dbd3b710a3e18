"""Tables that were read as something else without a word: each is a question now, with its counts.

Each input is that of a table which somebody has, made small. What is asked names options, and with
one of them the right values are read.
"""

from __future__ import annotations

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from clinic import made
from clinic.made import patients, written

from hedgerow.cli import main
from hedgerow.errors import InputError

PLAIN = ("--time", "years", "--event", "status", "--horizon", "5y")


def saved(folder, table, sep=","):
    """A file of a table, of a text or of bytes."""
    path = folder / "table.csv"
    if isinstance(table, pd.DataFrame):
        return written(path, table, sep=sep)
    path.write_bytes(table if isinstance(table, bytes) else table.encode())
    return path


def read(folder, table, *options, sep=","):
    return made.read(saved(folder, table, sep), *options)


def asked(folder, table, *options, sep=","):
    return made.asked(saved(folder, table, sep), *options)


def line_of(lines, start):
    """The one line that begins so."""
    (line,) = [line for line in lines if line.startswith(start)]
    return line


# ----------------------------------------------------------------------- decimal marks after a zero


def test_a_zero_in_front_tells_the_decimal_mark(tmp_path):
    """0,577 was read as 577, and times of 0,517 years as 517."""
    table = patients()[["age", "years", "status"]].assign(marker=0.0)
    table["marker"] = [f"0,{577 - k % 90}" for k in range(240)]
    small = np.round(table["years"] / 13.0, 3)
    table["years"] = [f"{value:.3f}".replace(".", ",") for value in small]
    for sep in (",", ";"):
        found = read(tmp_path, table, *PLAIN, sep=sep)
        assert found.X["marker"][:2].tolist() == [0.577, 0.576]
        np.testing.assert_allclose(found.time, small)


def test_a_point_in_a_table_with_decimal_commas(tmp_path):
    """0.046 beside columns with commas was 46."""
    table = patients()[["age", "years", "status"]]
    table["years"] = [f"{value:.2f}".replace(".", ",") for value in table["years"]]
    table["rate"] = [f"0.{46 + k % 50:03d}" for k in range(240)]
    table["share"] = [f",{400 + k % 500}" for k in range(240)]
    found = read(tmp_path, table, *PLAIN, sep=";")
    assert found.X["rate"][:2].tolist() == [0.046, 0.047]
    assert found.X["share"][:2].tolist() == [0.4, 0.401]


def test_groups_of_thousands_are_still_read(tmp_path):
    table = patients()[["age", "years", "status"]]
    table["platelets"] = [f"{100 + k},{k % 900 + 100}" for k in range(240)]
    table.loc[3, "platelets"] = "1,034,500"
    assert read(tmp_path, table, *PLAIN).X["platelets"][0] == 100_100.0


# ------------------------------------------------------------------------- 1 that means no event


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("alive", "10"),
        ("censored", "10"),
        ("CNSR", "10"),
        ("os_censor", "10"),
        ("survived", ("yes", "no")),
        ("event_free", ("TRUE", "FALSE")),
        ("lebt", ("ja", "nein")),
        ("vivo", ("sim", "não")),
        ("Überlebt", "10"),
        ("overall_survival", ("1.0", "0.0")),
        ("relapseFree", "10"),
    ],
)
def test_a_column_that_names_who_had_no_event(tmp_path, name, words):
    """In a column `alive`, 1 was the event, and the page described those who lived."""
    table = patients()
    dead = table.pop("status") == "dead"
    table[name] = np.where(dead, words[1], words[0])
    options = ("--time", "years", "--event", name, "--horizon", "5y")
    line = line_of(asked(tmp_path, table, *options), f"column `{name}`")
    assert line.startswith(f"column `{name}`: by its name it may say who had no event: it holds")
    assert f"'{words[0]}' ({(~dead).sum()}, first in row" in line
    ways = [f"--event-is {shlex.quote(word)}" for word in (words[1], words[0])]
    assert f"say {' or '.join(ways)}" in line
    assert read(tmp_path, table, *options, "--event-is", words[1]).event.sum() == dead.sum()
    # With life as the event, death ends the follow-up, and the marker tells of it.
    other = ("--event-is", words[0], "--keep-input", "marker")
    assert read(tmp_path, table, *options, *other).event.sum() == (~dead).sum()


def test_alive_or_nothing(tmp_path):
    """A cross for who lives: the empty cells are the deaths."""
    table = patients()
    dead = table.pop("status") == "dead"
    table["alive"] = np.where(dead, "", "1")
    options = ("--time", "years", "--event", "alive", "--horizon", "5y")
    line = line_of(asked(tmp_path, table, *options), "column `alive`: by its name")
    assert f"is empty for {dead.sum()}" in line and "say --event-is '' or --event-is 1" in line
    assert read(tmp_path, table, *options, "--event-is", "").event.sum() == dead.sum()


@pytest.mark.parametrize("name", ["cens", "os_event", "survival_event", "not_alive", "uncensored"])
def test_names_after_which_1_is_the_event(tmp_path, name):
    table = patients()
    dead = table.pop("status") == "dead"
    table[name] = dead.astype(int)
    found = read(tmp_path, table, "--time", "years", "--event", name, "--horizon", "5y")
    assert found.event.sum() == dead.sum()


@pytest.mark.parametrize(
    ("dead", "alive"),
    [
        ("verstorben", "lebt"),
        ("Óbito", "Vivo"),
        ("fallecida", "viva"),
        ("sim", "não"),
        ("Sí", "No"),
        ("1:DECEASED", "0:LIVING"),
        ("1 = tot", "0 = am Leben"),
    ],
)
def test_words_for_the_event_in_other_languages(tmp_path, dead, alive):
    """Each was asked for, or not known at all."""
    table = patients()
    had = table["status"] == "dead"
    table["status"] = np.where(had, dead, alive)
    assert read(tmp_path, table, *PLAIN).event.sum() == had.sum()


def test_1_and_2(tmp_path):
    """As in R's lung, where 1 is no event: that 1 would be the event was not told."""
    table = patients()
    had = table["status"] == "dead"
    table["status"] = np.where(had, 2, 1)
    line = line_of(asked(tmp_path, table, *PLAIN), "column `status`")
    assert f"(as it is, '1' ({(~had).sum()}, first in row" in line and "is the event)" in line
    assert read(tmp_path, table, *PLAIN, "--event-is", "2").event.sum() == had.sum()


# ------------------------------------------------------------- emptiness that goes with the event


def followed(n=300, dead=190):
    """Dates and flags of a study that closed at the end of 2019; the dead first."""
    random = np.random.default_rng(5)
    start = pd.Timestamp("2012-01-01") + pd.to_timedelta(random.integers(0, 1500, n), "D")
    end = start + pd.to_timedelta(random.integers(30, 1300, n), "D")
    table = pd.DataFrame(
        {"age": random.integers(40, 90, n), "included": start.strftime("%Y-%m-%d")}
    )
    had = np.arange(n) < dead
    table["died_on"] = np.where(had, end.strftime("%Y-%m-%d"), "")
    table["died"] = np.where(had, "1", "0")
    return table.sample(frac=1.0, random_state=1, ignore_index=True)


DATED = ("--start", "included", "--end", "died_on", "--event", "died", "--horizon", "3y")


def test_a_date_for_the_dead_alone(tmp_path):
    """`--leave-out-incomplete`, which was proposed, left 190 patients with 190 events: a risk of
    84.2 % in the place of 57.7 %.
    """
    table = followed()
    for more in ((), ("--leave-out-incomplete",), ("--leave-out-empty", "died_on")):
        (line,) = asked(tmp_path, table, *DATED, *more)
        assert line == (
            "column `died_on`: it is empty for 110 patients, 0 of them with the event, and leaving "
            "them out would move the share with the event from 63.3 % to 100.0 %; complete it, or "
            "say --end-of-study DATE where those without the event were followed to that day"
        )
    found = read(tmp_path, table, *DATED, "--end-of-study", "2019-12-31")
    assert (len(found), found.event.sum()) == (300, 190)
    first = pd.Timestamp(table.loc[table["died"] == "0", "included"].iloc[0])
    days = (pd.Timestamp("2019-12-31") - first).days
    assert found.time[found.event == 0][0] == pytest.approx(days / 365.25)
    assert "--end-of-study 2019-12-31" in [decision.by for decision in found.decisions]


@pytest.mark.parametrize("word", ["alive", "9999-12-31", "lost to follow-up"])
def test_a_word_in_the_place_of_a_date(tmp_path, word):
    """110 rows were refused one by one; read as empty, they come to the question on emptiness."""
    table = followed().assign(died_on=lambda t: t["died_on"].replace("", word))
    (line,) = asked(tmp_path, table, *DATED)
    way = ("--read", f"died_on={word}=missing")
    assert f"column `died_on`: '{word}' (110 times, first in row " in line
    assert shlex.join(way) in line
    assert "--end-of-study DATE" in asked(tmp_path, table, *DATED, *way)[0]
    found = read(tmp_path, table, *DATED, *way, "--end-of-study", "2019-12-31")
    assert (len(found), found.event.sum()) == (300, 190)
    assert f"'{word}' is read as missing" in [decision.message for decision in found.decisions]


def test_a_date_and_a_flag_for_the_dead_alone(tmp_path):
    table = followed()
    table["died"] = table["died"].replace("0", "")
    lines = asked(tmp_path, table, *DATED)
    assert "it is empty for 110 patients, and no word says that a patient had no event (190" in (
        line_of(lines, "column `died`")
    )
    assert "say --no-event-is '' where an empty cell" in line_of(lines, "column `died`")
    assert "--end-of-study DATE" in line_of(lines, "column `died_on`") and len(lines) == 2
    answers = ("--no-event-is", "", "--end-of-study", "2019-12-31")
    found = read(tmp_path, table, *DATED, *answers)
    assert (len(found), found.event.sum()) == (300, 190)


@pytest.mark.parametrize("more", [(), ("--event-is", "dead"), ("--leave-out-incomplete",)])
def test_a_flag_for_the_dead_alone(tmp_path, more):
    table = patients()
    had = table["status"] == "dead"
    table["status"] = np.where(had, "dead", "")
    (line,) = asked(tmp_path, table, *PLAIN, *more)
    assert f"it is empty for {(~had).sum()} patients, and no word" in line
    found = read(tmp_path, table, *PLAIN, *more, "--no-event-is", "")
    assert found.event.sum() == had.sum() and len(found) == 240


def test_a_cause_for_the_dead_alone(tmp_path):
    """One question, not two, of one thing."""
    table = patients()
    cause = np.where(np.arange(240) % 3 == 0, "cancer", "heart")
    table["status"] = np.where(table["status"] == "dead", cause, "")
    (line,) = asked(tmp_path, table, *PLAIN, "--cause", "heart")
    assert "say --no-event-is ''" in line
    found = read(tmp_path, table, *PLAIN, "--cause", "heart", "--no-event-is", "")
    assert set(found.event) == {0, 1, 2} and len(found) == 240


def test_a_flag_with_a_few_noughts(tmp_path):
    """Five were written as 0, and all others who lived left empty."""
    table = patients(400)
    had = table["status"] == "dead"
    table["years"] += 6.0 * ~had
    table["status"] = np.where(had, "1", "")
    table.loc[table.index[~had][:5], "status"] = "0"
    (line,) = asked(tmp_path, table, *PLAIN, "--leave-out-incomplete")
    assert "so that leaving them out is no chance; say --no-event-is ''" in line
    assert read(tmp_path, table, *PLAIN, "--no-event-is", "").event.sum() == had.sum()
    assert len(read(tmp_path, table, *PLAIN, "--leave-out-empty", "status")) == had.sum() + 5


def test_times_for_the_dead_alone(tmp_path):
    table = patients()
    had = table["status"] == "dead"
    table.loc[~had & (np.arange(240) % 3 > 0), "years"] = np.nan
    (line,) = asked(tmp_path, table, *PLAIN, "--leave-out-incomplete")
    assert "0 of them with the event, and leaving them out would move" in line
    assert "--end-of-study DATE in the place of --time" in line
    found = read(tmp_path, table, *PLAIN, "--leave-out-empty", "years")
    assert found.n_left_out == table["years"].isna().sum()
    with pytest.raises(InputError, match="--end-of-study is given with --time"):
        read(tmp_path, table, *PLAIN, "--end-of-study", "2019-12-31")


def test_an_end_of_the_study_that_cannot_be(tmp_path):
    table = followed()
    lines = asked(tmp_path, table, *DATED, "--end-of-study", "2014-06-30")
    assert any("lies after the end of the study, 2014-06-30; give a later" in x for x in lines)
    with pytest.raises(InputError, match="--end-of-study is 'soon'; write it as 2024-12-31"):
        read(tmp_path, table, *DATED, "--end-of-study", "soon")
    table["died_on"] = table["died_on"].replace("", "2019-01-01")
    (line,) = asked(tmp_path, table, *DATED, "--end-of-study", "2019-12-31")
    assert "no patient without the event lacks it; leave out --end-of-study" in line


def test_emptiness_by_chance_is_left_out_as_before(tmp_path):
    table = patients()
    table.loc[::17, "years"] = np.nan
    lines = asked(tmp_path, table, *PLAIN)
    assert "it is empty; complete it, or leave such patients out with --leave-out-inc" in lines[0]
    assert read(tmp_path, table, *PLAIN, "--leave-out-incomplete").n_left_out == 15


# ------------------------------------------------------------------- numbers that are not plain


def with_some(table, name, share, made):
    """A column in whose first rows, a share of them, each value is written otherwise."""
    texts = table[name].astype(str)
    count = int(share * len(table))
    return table.assign(**{name: [*map(made, texts[:count]), *texts[count:]]})


@pytest.mark.parametrize("share", [0.03, 0.2, 0.35, 0.5, 0.95])
def test_limits_of_detection(tmp_path, share):
    """`<2` in 3 and 20 % of the rows was refused by row; in 35 and 50 % the column was gone, as
    free text, without a word.
    """
    table = with_some(patients(), "marker", share, lambda _: "<2")
    count = int(share * 240)
    (line,) = asked(tmp_path, table, *PLAIN)
    assert line.startswith(
        f"column `marker`: beside {240 - count} plain numbers it holds numbers with '<' ({count}, "
        "first in row 2); say what they are read as, a number or missing: --read 'marker=<2=2', "
        "--read 'marker=<2=missing'"
    )
    found = read(tmp_path, table, *PLAIN, "--read", "marker=<2=1.5")
    assert (found.X["marker"][:count] == 1.5).all()
    gone = read(tmp_path, table, *PLAIN, "--read", "marker=<2=missing").X["marker"]
    assert gone.isna().sum() == count
    said = [(decision.message, decision.by) for decision in found.decisions]
    assert ("'<2' is read as 1.5", "--read 'marker=<2=1.5'") in said


@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize(
    ("name", "made", "around"),
    [
        ("age", "{} kg".format, "kg"),
        ("marker", "{}%".format, "%"),
        ("age", "0{}Y".format, "Y"),
        ("marker", ">{}".format, ">"),
        ("age", '="{}"'.format, '=""'),
        ("age", "'{}".format, "'"),
        ("marker", "{} mL/min/1.73m2".format, "mL/min/1.73m2"),
        ("marker", "{} x10^9/l".format, "x10^9/l"),
    ],
)
def test_numbers_with_something_around_them(tmp_path, name, made, around, share):
    """Without a word the column was free text, or one text for each patient."""
    plain = patients()
    table = with_some(plain, name, share, made)
    way = f"--read {shlex.quote(f'{name}={around}=number')}"
    (line,) = asked(tmp_path, table.to_csv(index=False, quotechar="|"), *PLAIN)
    assert line.startswith(f"column `{name}`: beside {240 - int(share * 240)} plain numbers")
    assert way in line
    options = (*PLAIN, "--read", f"{name}={around}=number")
    found = read(tmp_path, table.to_csv(index=False, quotechar="|"), *options)
    np.testing.assert_allclose(found.X[name], plain[name])


def test_numbers_of_two_units(tmp_path):
    """Months read as years would be as wrong as no age."""
    table = patients()
    table["age"] = [
        f"{v} years" if k % 3 else f"{v * 12} months" for k, v in enumerate(table["age"])
    ]
    (line,) = asked(tmp_path, table, *PLAIN)
    ways = ("--read", "age=years=number", "--read", "age=months=missing")
    assert all(word in line for word in ways) and "another unit are best converted" in line
    assert read(tmp_path, table, *PLAIN, *ways).X["age"].isna().sum() == 80
    limits = with_some(patients(), "marker", 0.4, "<{}".format)
    found = read(tmp_path, limits, *PLAIN, "--read", "marker=<=0.5").X["marker"]
    assert (found[:96] == 0.5).all()


@pytest.mark.parametrize("text", ["5O", "l2", "6I", "83 kg", "seventy"])
def test_a_mistake_of_one_cell(tmp_path, text):
    """5O is 50, and no 5 with something behind it."""
    table = patients().astype({"age": str})
    table.loc[4, "age"] = text
    (line,) = asked(tmp_path, table, *PLAIN)
    assert line.startswith(
        f"row 6, column `age`: '{text}' is no number; correct the cell, empty it"
    )
    way = ("--read", f"age={text}=missing")
    assert read(tmp_path, table, *PLAIN, *way).X["age"].isna().sum() == 1


@pytest.mark.parametrize("share", [0.1, 0.4, 0.7])
def test_words_among_numbers(tmp_path, share):
    table = with_some(patients(), "marker", share, lambda text: "not done")
    (line,) = asked(tmp_path, table, *PLAIN)
    assert f"'not done' ({int(share * 240)}, first in row 2)" in line
    assert "--read 'marker=not done=missing'" in line
    assert ("--not-input marker" in line) == (share > 0.2)
    found = read(tmp_path, table, *PLAIN, "--read", "marker=not done=missing")
    assert found.X["marker"].isna().sum() == int(share * 240)


def test_the_oldest_are_80_or_more(tmp_path):
    table = patients()
    old = table["age"] >= 80
    table["age"] = table["age"].astype(str).where(~old, "80+")
    (line,) = asked(tmp_path, table, *PLAIN)
    assert "--read age=80+=80, --read age=80+=missing" in line
    assert (read(tmp_path, table, *PLAIN, "--read", "age=80+=82").X["age"] == 82).sum() == old.sum()


def test_many_words_and_many_limits(tmp_path):
    """One option for all of them, and a number that is written as the column writes its own."""
    table = patients()
    table["marker"] = [f"{value:.2f}".replace(".", ",") for value in table["marker"]]
    table.loc[:79, "marker"] = [f"<{k % 8},5" for k in range(80)]
    table.loc[80:99, "marker"] = [f"note {'abcdefghij'[k % 10]}" for k in range(20)]
    table["years"] = [f"{value:.3f}".replace(".", ",") for value in table["years"]]
    (line,) = asked(tmp_path, table, *PLAIN, sep=";")
    assert "numbers with '<' (80, such as '<0,5', first in row 2)" in line
    assert "4 other texts" in line and "--read 'marker=*=missing' for these 4 and all" in line
    ways = (
        "--read",
        "marker=<=number",
        "--read",
        "marker=*=missing",
        "--read",
        "marker=note a=1.25",
    )
    found = read(tmp_path, table, *PLAIN, *ways, sep=";").X["marker"]
    assert found[:3].tolist() == [0.5, 1.5, 2.5] and found.isna().sum() == 18
    assert found[80] == 1.25


def test_both_marks_in_one_column(tmp_path):
    """A workbook holds some numbers as texts, with a comma; they were no numbers."""
    plain = patients()
    for share in (0.1, 0.5):
        table = with_some(plain, "marker", share, lambda text: text.replace(".", ","))
        (line,) = asked(tmp_path, table, *PLAIN)
        assert "numbers with a decimal comma (" in line and "--decimal marker=both" in line
        found = read(tmp_path, table, *PLAIN, "--decimal", "marker=both")
        np.testing.assert_allclose(found.X["marker"], plain["marker"])


def test_codes_are_no_numbers_with_letters(tmp_path):
    """Stages, tumour classes, wards and notes stay what they were."""
    table = patients()
    table["stage"] = [("1a", "1b", "2", "3a", "4")[k % 5] for k in range(240)]
    table["tumour"] = [("T1", "T2", "T3")[k % 3] for k in range(240)]
    table["ward"] = [f"{k % 25}{'AB'[k % 2]}" for k in range(240)]
    table["ages"] = [("40-49", "50-59", "80+")[k % 3] for k in range(240)]
    table["pressure"] = [f"{a}/{a % 31 + 60}" for a in table["age"].sample(frac=1, random_state=1)]
    table["protein"] = [("0", "1+", "2+", "3+")[k % 4] for k in range(240)]
    found = read(tmp_path, table, *PLAIN)
    for name in ("stage", "tumour", "ages", "protein"):
        assert hasattr(found.X[name], "cat")
    assert found.not_used["pressure"].startswith("free text")
    assert found.not_used["ward"].startswith("free text")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("marker=<2", "--read is 'marker=<2'; write COLUMN=TEXT=VALUE"),
        ("marked=<2=2", "has no column `marked`; did you mean `marker`"),
        ("marker=<3=2", "no cell holds '<3', which --read names"),
        ("marker=<2=two", "'two' is neither a number nor `missing`; write marker=<2=0.5"),
    ],
)
def test_analyses_that_cannot_be(tmp_path, answer, sentence):
    table = with_some(patients(), "marker", 0.4, lambda text: "<2")
    with pytest.raises(InputError, match=re.escape(sentence)):
        read(tmp_path, table, *PLAIN, "--read", answer)


def test_sets_of_matched_patients_are_no_patients(tmp_path):
    """Of nafld1 (R) sets of a case and its controls were said to be patients in several rows."""
    table = patients().rename(columns={"patient": "id"}).drop(columns="surgery")
    table["case.id"] = np.arange(240) // 4 + 5000
    line = line_of(asked(tmp_path, table, *PLAIN), "column `case.id`")
    assert (
        "60 of 60 values stand in several rows" in line
        and "though each row has another `id`" in line
    )
    found = read(tmp_path, table, *PLAIN, "--several-rows", "case.id=separate")
    assert len(found) == 240 and "case.id" not in found.X


# ------------------------------------------------------------------- what only the follow-up tells


def test_times_after_inclusion_that_end_with_the_follow_up(tmp_path):
    """Of myeloid (R) times of transplant and relapse were inputs without a word.

    They lie far from the end of the follow-up, and never after it, which chance would not do.
    """
    table, random = patients(), np.random.default_rng(3)
    table["relapse"] = np.where(
        table.index % 3, random.uniform(0, table["years"].clip(upper=2)), None
    )
    table["chance"] = random.permutation(table["years"])
    line = line_of(asked(tmp_path, table, *PLAIN), "column `relapse`")
    assert "it is never above the follow-up, in years, as " in line
    assert "of 160 patients would be by chance; say --not-input relapse" in line
    assert "chance" in read(tmp_path, table, *PLAIN, "--not-input", "relapse").X
    # Early ones, such as remissions, are known by their names alone.
    early = table.drop(columns="relapse").assign(early=table["relapse"].astype(float) * 0.12)
    assert "early" in read(tmp_path, early, *PLAIN).X
    (line,) = asked(tmp_path, early.rename(columns={"early": "crtime"}), *PLAIN)
    assert line.startswith("column `crtime`: it may not have been known at inclusion: it is never")


def test_what_tells_the_follow_up_waits_for_the_event(tmp_path):
    """Of pbc (R), with 2 for the dead, five inputs were said to tell who could be followed.

    Until somebody says what 2 is, who had the event counts as censored: early, as the ill are.
    """
    table, random = patients(600), np.random.default_rng(0)
    ill = random.random(600) < 0.4
    table["bili"] = np.where(ill, 9.0, 1.0) + random.random(600).round(3)
    table["years"] = np.where(ill, random.uniform(0.1, 2.0, 600), random.uniform(5.0, 12.0, 600))
    table["status"] = np.where(ill, 2, 0)
    table["year"] = 1990 + table.index % 10
    lines = asked(tmp_path, table, *PLAIN)
    assert [line.partition(":")[0] for line in lines] == ["column `status`", "column `year`"]
    assert "looks like a calendar year, of inclusion or later; the tree" in lines[1]


# --------------------------------------------------------------- several codes for missing values


@pytest.mark.parametrize(
    ("low", "high", "codes"),
    [
        (40, 89, (888, 999)),
        (0, 20, (88, 99)),
        (0, 3, (8, 9)),
        (0, 3, (7, 8, 9)),
        (0, 3, (-9, -8)),
        (40, 89, (-9, -8, 777, 999)),
        (40, 89, (997, 998, 999)),
        (0, 50, (-99, -9)),
        (40, 89, (999,)),
        (40, 89, (99,)),
        (2, 30, (99.9,)),
    ],
)
def test_several_codes_for_missing_values(tmp_path, low, high, codes):
    """Of 888 and 999 each hid the other: neither lay far from all other values."""
    table = patients().assign(score=np.arange(240) % (high - low + 1) + low)
    table["score"] = table["score"].astype(type(codes[0]))
    for k, code in enumerate(codes):
        table.loc[[3 + k, 103 + k], "score"] = code
    (line,) = asked(tmp_path, table, *PLAIN)
    assert all(f"{code:g} (2 patients, first in row " in line for code in codes)
    assert f"may stand for a missing value: the others lie from {low} to {high}; say" in line
    ways = [word for code in codes for word in ("--missing-value", f"score={code:g}")]
    reals = [word.replace("missing", "real") for word in ways]
    assert all(word in line for word in (*ways, *reals))
    assert read(tmp_path, table, *PLAIN, *ways).X["score"].isna().sum() == 2 * len(codes)
    assert read(tmp_path, table, *PLAIN, *reals).X["score"].isna().sum() == 0
    if len(codes) > 1:  # one answer of several leaves a question
        assert asked(tmp_path, table, *PLAIN, *ways[:2])


@pytest.mark.parametrize(("low", "high"), [(1, 9), (40, 99), (0, 999), (-9, 9)])
def test_scales_that_end_in_a_code(tmp_path, low, high):
    table = patients().assign(score=np.linspace(low, high, 240).round())
    assert len(read(tmp_path, table, *PLAIN)) == 240


@pytest.mark.parametrize("values", [(99,), (98, 99), (97, 99, 99), (95, 97, 99, 99)])
def test_ages_of_old_people_are_no_codes(tmp_path, values):
    """99 of several patients stands for a missing age where nobody else is nearly so old."""
    table = patients()
    table.loc[[3 + 2 * k for k in range(len(values))], "age"] = values
    assert len(read(tmp_path, table, *PLAIN)) == 240


def test_codes_among_times(tmp_path):
    table = patients()
    table.loc[[4, 9], "years"] = 99
    (line,) = asked(tmp_path, table, *PLAIN)
    assert "column `years`: 99 (2 patients, first in row 6) may stand for a missing" in line
    answers = ("--missing-value", "years=99", "--leave-out-incomplete")
    assert len(read(tmp_path, table, *PLAIN, *answers)) == 238


@pytest.mark.parametrize("value", [200, 845, -3, 116])
def test_ages_that_nobody_has(tmp_path, value):
    table = patients()
    table.loc[[3, 7], "age"] = value
    line = line_of(asked(tmp_path, table, *PLAIN), "column `age`: an age lies")
    assert f"{value} (2 patients, first in row 5); correct it, or say --missing-value" in line
    found = read(tmp_path, table, *PLAIN, "--missing-value", f"age={value}")
    assert found.X["age"].isna().sum() == 2
    real = read(tmp_path, table, *PLAIN, "--real-value", f"age={value}")
    assert (real.X["age"] == value).sum() == 2


def test_ages_in_another_unit(tmp_path):
    """Months by name or schema are as they are; where nothing tells it, it is asked once."""
    table = patients().rename(columns={"age": "age_months"})
    table["age_months"] *= 12
    assert len(read(tmp_path, table, *PLAIN)) == 240
    table = table.rename(columns={"age_months": "age"})
    (line,) = asked(tmp_path, table, *PLAIN)
    assert "240 values lie outside, and they reach" in line and "`unit` in the schema" in line
    (tmp_path / "s.yaml").write_text("columns: {age: {unit: months}}\n")
    assert len(read(tmp_path, table, *PLAIN, "--schema", str(tmp_path / "s.yaml"))) == 240


# ------------------------------------------------------------------------ rows of different kinds


def with_visits(n=60, mixed=False):
    """As REDCap exports it: a row of the inclusion, and one of visits, each empty where the other
    is filled.
    """
    random = np.random.default_rng(0)
    base = pd.DataFrame(
        {
            "record_id": np.arange(1, n + 1),
            "age": random.integers(40, 80, n),
            "sex": random.choice(["f", "m"], n),
            "days": random.integers(30, 3000, n),
            "died": random.integers(0, 2, n),
        }
    ).astype(object)
    visits = {f"v{k}": random.normal(5, 1, n).round(1) for k in (1, 2, 3)}
    rows = [base, pd.DataFrame({"record_id": np.arange(1, n + 1), **visits})]
    both = pd.concat(rows[::-1] if mixed else rows)[[*base, *visits]]
    return both.sort_values("record_id", kind="stable")


VISITS = ("--time", "days", "--event", "died", "--horizon", "3y")


@pytest.mark.parametrize("mixed", [False, True])
def test_a_row_of_the_inclusion_and_one_of_visits(tmp_path, mixed):
    """`age` was an identifier, for empty cells agreed with empty cells, and the printed answer
    `--several-rows first` kept 25 of 60 patients. 120 problems of cells stood around it.
    """
    (line,) = asked(tmp_path, with_visits(mixed=mixed), *VISITS)
    assert line == (
        "column `record_id`: 60 of 60 patients stand in several rows, such as '1' in rows 2 and 3; "
        "say which count: --where v1= (60 rows), --several-rows record_id=first; or --several-rows "
        "record_id=separate, where they are different patients"
    )
    found = read(tmp_path, with_visits(mixed=mixed), *VISITS, "--where", "v1=")
    assert len(found) == 60 and list(found.X) == ["age", "sex"]
    assert found.not_used["v1"] == "every cell is empty"
    assert [d.message for d in found.decisions if d.by] == ["rows count in which it is empty"]
    which = "last" if mixed else "first"
    found = read(
        tmp_path, with_visits(mixed=mixed), *VISITS, "--several-rows", f"record_id={which}"
    )
    assert len(found) == 60


def test_an_identifier_that_no_name_tells(tmp_path):
    """Each value has one row with an age; that no two rows agree in it is no sign against it."""
    table = with_visits().rename(columns={"record_id": "who"})
    (line,) = asked(tmp_path, table, *VISITS)
    assert line.startswith("column `who`: 60 of 60 patients stand in several rows")


def test_rows_of_repeated_visits(tmp_path):
    """The row of the inclusion has no instrument; those of visits repeat."""
    base = with_visits()
    base["redcap_repeat_instrument"] = np.where(base["days"].isna(), "visit", "")
    second = base[base["days"].isna()].assign(v2=lambda t: t["v2"] + 0.1)
    table = pd.concat([base, second]).sort_values("record_id", kind="stable")
    table["v1"] = table["v1"].where(table["days"].isna(), 4.0)
    (line,) = asked(tmp_path, table, *VISITS)
    assert "60 of 60 patients stand in several rows" in line
    way = "redcap_repeat_instrument="
    assert "--where v2= (60 rows)" in line
    assert len(read(tmp_path, table, *VISITS, "--where", way)) == 60


def test_the_first_row_by_one_of_two_identifiers(tmp_path):
    """A family's members are patients of their own; `first` for all kept one of a family."""
    table = with_visits().assign(family_id=lambda t: 100 + (t["record_id"].astype(int) + 1) // 2)
    lines = asked(tmp_path, table, *VISITS)
    assert len(lines) == 2 and line_of(lines, "column `family_id`: 30 of 30 patients")
    ways = ("--several-rows", "record_id=first", "--several-rows", "family_id=separate")
    assert len(read(tmp_path, table, *VISITS, *ways)) == 60
    with pytest.raises(InputError, match="has no column `record`; did you mean"):
        read(tmp_path, table, *VISITS, "--several-rows", "record=first")


def test_ages_in_ascending_order_are_no_identifier(tmp_path):
    table = patients(40).drop(columns=["surgery"])
    table["age"] = np.arange(40) + 45
    assert "age" in read(tmp_path, table, *PLAIN).X


# --------------------------------------------------------------------------- dates, letters, words


@pytest.mark.parametrize(
    "form",
    [
        "%d%b%Y",
        "%d%b%Y:00:00:00",
        "%Y%m%d",
        "%B %d, %Y",
        "%b %d %Y",
        "%Y-%m-%dT00:30:00+02:00",
        "%Y-%m-%d 00:30:00.000-0500",
        "%Y-%m-%dT00:30:00Z",
        "%m/%d/%Y 12:00:00 AM",
        "%d.%m.%Y 00:00:00",
        "%d-%b-%Y 00:00",
    ],
)
def test_dates_as_programs_write_them(tmp_path, form):
    """Each was a text, of which the column of dates was no date."""
    table = followed().assign(died_on=lambda t: t["died_on"].replace("", "2019-12-31"))
    plain = read(tmp_path, table, *DATED)
    for name in ("included", "died_on"):
        table[name] = pd.to_datetime(table[name]).dt.strftime(form)
    np.testing.assert_array_equal(read(tmp_path, table, *DATED).time, plain.time)
    assert read(tmp_path, table, *DATED).period == plain.period
    options = ("--time", "t", "--event", "died", "--unit", "days", "--horizon", "3y")
    found = read(tmp_path, table.assign(t=np.arange(300) % 97 * 13), *options)
    assert {found.not_used[name] for name in ("included", "died_on")} == {"a date"}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("29. August 2009", "2009-08-29"),
        ("1. März 2009", "2009-03-01"),
        ("3-dez-2009", "2009-12-03"),
        ("29 de agosto de 2009", "2009-08-29"),
        ("7 de março de 2009", "2009-03-07"),
        ("4 enero 2009", "2009-01-04"),
        ("14 juillet 2009", "2009-07-14"),
        ("14 juin 2009", "2009-06-14"),
        ("August 29th, 2009", "2009-08-29"),
        ("29Aug2009", "2009-08-29"),
    ],
)
def test_months_in_words(tmp_path, text, day):
    table = followed().assign(died_on="2019-12-31", included=text)
    assert read(tmp_path, table, *DATED).period == f"{day} to {day}"


def test_numbers_of_days_with_a_time(tmp_path):
    """Excel's 40054.5 is noon of a day."""
    table = followed().assign(died_on=lambda t: t["died_on"].replace("", "2019-12-31"))
    plain = read(tmp_path, table, *DATED)
    for name in ("included", "died_on"):
        days = (pd.to_datetime(table[name]) - pd.Timestamp("1899-12-30")).dt.days
        table[name] = days + np.where(np.arange(300) % 2, 0.5, 0.25)
    lines = asked(tmp_path, table, *DATED)
    assert all("numbers of days, as Excel stores dates" in line for line in lines)
    found = read(tmp_path, table, *DATED, "--dates", "excel")
    np.testing.assert_array_equal(found.time, plain.time)


@pytest.mark.parametrize(
    "text", ["20091331", "19990230", "Augu 2009", "Lot 29, 2009", "2009-13-01"]
)
def test_what_is_no_date(tmp_path, text):
    table = followed().assign(died_on="2019-12-31")
    table.loc[5, "included"] = text
    assert line_of(asked(tmp_path, table, *DATED), "row 7, column `included`")


@pytest.mark.parametrize("form", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_its_mark(tmp_path, form):
    """It was "no text"."""
    table = patients().replace("female", "weiblich-größer")
    found = read(tmp_path, table.to_csv(index=False).encode(form), *PLAIN)
    assert "letters of UTF-16 without its mark" in found.read_as
    assert set(found.X["sex"]) == {"male", "weiblich-größer"}


def test_namibia(tmp_path):
    """NA was a missing value without a word, among codes of countries."""
    table = patients().assign(country=[("DE", "NA", "ZA", "PT", "ES")[k % 5] for k in range(240)])
    (line,) = asked(tmp_path, table, *PLAIN)
    assert line.startswith("column `country`: it holds NA (48 times) among codes of two letters")
    assert "say --real-value country=NA or --missing-value country=NA" in line
    found = read(tmp_path, table, *PLAIN, "--real-value", "country=NA").X["country"]
    assert (found == "NA").sum() == 48
    gone = read(tmp_path, table, *PLAIN, "--missing-value", "country=NA").X["country"]
    assert gone.isna().sum() == 48
    table["country"] = table["country"].replace({"DE": "Germany", "NA": "NA"})
    assert read(tmp_path, table, *PLAIN).X["country"].isna().sum() == 48
    kept = read(tmp_path, table, *PLAIN, "--real-value", "country=NA")
    assert (kept.X["country"] == "NA").sum() == 48
    assert ("NA is a value", "--real-value country=NA") in [
        (d.message, d.by) for d in kept.decisions
    ]


def test_namibia_in_a_second_hospital(tmp_path):
    """The tree had a category NA, and the next patients from there had none."""
    table = patients(400).drop(columns=["surgery", "marker"])
    land = np.array(["Kenya", "NA", "Togo"])[np.arange(400) % 3]
    from_there = land == "NA"
    table["land"] = land
    table.loc[from_there, "years"] = (table["years"] / 9.0).round(3)
    table.to_csv(tmp_path / "a.csv", index=False)
    more = ("--real-value", "land=NA", "--keep-input", "land", "--min-followed", "0")
    more += ("--bootstraps", "0", "--out", str(tmp_path / "o"), "--quiet")
    assert main(["survival", str(tmp_path / "a.csv"), *PLAIN, *more]) == 0
    table[:90].rename(columns={"land": "country"}).to_csv(tmp_path / "b.csv", index=False)
    words = ["--rename", "country=land"]
    apply = ["apply", str(tmp_path / "o"), str(tmp_path / "b.csv"), *words]
    assert main([*apply, "--out", str(tmp_path / "g.csv"), "--quiet"]) == 0
    found = pd.read_csv(tmp_path / "g.csv")
    assert not found["why"].fillna("").str.contains("missing").any()
    groups = found["group"].groupby(from_there[:90]).unique()
    assert set(groups[True]) != set(groups[False])
    validate = ["validate", str(tmp_path / "o"), str(tmp_path / "b.csv"), *words, *PLAIN[:4]]
    out = ("--out", str(tmp_path / "v"), "--resamples", "20", "--quiet")
    assert main([*validate, *out]) == 0
    assert "NA" in (tmp_path / "v/index.html").read_text()
