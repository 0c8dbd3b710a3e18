"""What pages of docs/ and README tell of the tracked results, as tables in Markdown.

`pages` gives the texts between the marks of a page; `hedgerow_study.workflow.showing.generated`
writes them. Verdicts, analyses and cells are those of `data/reference`, misprints those of
`data/published`, reasons those of the notes; the choice of a method rests on
`uncertainty_benchmark`.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.data import load_registry
from hedgerow.files import read_csv, read_text, read_yaml
from hedgerow.showing.numbers import (
    NONE,
    between,
    in_form,
    interval,
    is_number,
    number,
    points,
    signed,
)
from hedgerow_study.experiments.audit.misprints import MANUAL, table_of
from hedgerow_study.extensions.uncertainty_benchmark.plan import READABLE
from hedgerow_study.extensions.uncertainty_benchmark.tables import (
    CHOICE_LABELS,
    CONDITION_LABELS,
    LABELS,
    PEOPLE_LABELS,
)
from hedgerow_study.reporting.analytic_choices import (
    MARKS,
    SOURCE,
    read_choices,
    tracked_tables,
    word_of,
)
from hedgerow_study.reporting.checkout import RESULTS
from hedgerow_study.reporting.claim_specification import NOT, PARTLY, REPRODUCED, VERDICTS
from hedgerow_study.reporting.claims import from_reference
from hedgerow_study.reporting.notes import Passage, note_files, passages
from hedgerow_study.workflow.settings.config import printed_sizes
from hedgerow_study.workflow.showing.site import AT_SCALE, papers

if TYPE_CHECKING:
    import pandas as pd

PAGE = "docs/reproduction.md"
CHOICE, README, SUITE = "docs/which_method.md", "README.md", "config/suite.yaml"
#: The experiment whose results they tell.
EXPERIMENT = "uncertainty_benchmark"
#: Learners whose predictions for a second measurement are compared.
STEADY = ("ss_stp_se", "udt", "uncertain_data_tree", "forest", "boosting")
#: Names of the tables that the page asks for, each between `<!-- NAME: make generated -->` and
#: `<!-- end -->`.
TABLES = ("conditions", "changes", "rule", "honesty", "people")
#: What says how large data sets are, and no result.
FACTS = {"n_classes", "n_numeric_variables", "n_variables", "n_instances", "n_sets"}
FACTS |= {"imbalance_ratio", "instances_above_1000"}
#: Shares of the largest printed value of a metric in its table.
NEAR = (0.05, 0.1, 0.25)
#: The analysis that every other is compared with.
HERE = "as here"
#: Verdicts that decide.
_DECIDED = (REPRODUCED, PARTLY, NOT)
#: What else is judged by the same rules and shown, by the column of an experiment's claims.
_COMPARED = {
    "j48": "class rule",
    "j48_laplace_node": "smoothed",
    "j48_unpruned_node": "unpruned",
    "pruned_node": "C4.5 of the thesis",
    "unpruned_node": "C4.5 unpruned",
    "coded": "as coded, 0/0 repaired",
    "coded_gain": "gain of C4.5 as coded",
    "coded_undefined": "as coded",
    "first": "forest of the printed division",
    "printed": "printed cells",
}
#: Items of one kind that a misprint lists.
_SHOWN = 3
_ROMAN = {"1": "I", "2": "II", "3": "III"}


def pages(root: Path) -> dict[str, dict[str, str]]:
    """Texts by their marks, by page; no page whose tracked results are not all there."""
    texts = {}
    if (root / AT_SCALE).is_file() and (root / PAGE).is_file():
        texts[PAGE] = reproduction(root)
    if (root / CHOICE).is_file():
        texts[CHOICE] = which_method(root)
    folder = root / RESULTS / EXPERIMENT
    if (root / README).is_file() and folder.is_dir():
        levels = read_yaml(root / SUITE)["levels"]["errors"]
        effects = from_reference(read_csv(folder / "uncertainty_benchmark_effects.csv"))
        texts[README] = {"gain": gain(effects, levels)}
    return texts


def table(
    heads: Sequence[str],
    rows: Iterable[Iterable[Any]],
    texts: int | None = None,
    last_is_text: bool = False,
) -> str:
    """A table."""
    n = len(heads) if texts is None else texts
    numbers = len(heads) - n - last_is_text
    rule = f"|{' --- |' * n}{' ---: |' * numbers}{' --- |' * last_is_text}"
    lines = [f"| {' | '.join(heads)} |", rule]
    for row in rows:
        cells = (str(cell).replace("|", r"\|") for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def reproduction(root: Path) -> dict[str, str]:
    """Texts of the report of the reproduction."""
    claims, reasons = judged(root), why(root)
    texts = {
        "verdicts": verdicts_table(claims, root),
        "standing": standing_table(claims),
        "repeats": repeats_line(claims, root),
        "cells": cells_table(root, partial(chapter, root=root)),
        "tables": cells_table(root, place),
    }
    for group, rows in claims.groupby("group", sort=False):
        texts[f"{group}_holds"] = holds_list(rows)
        texts[f"{group}_fails"] = fails_list(rows, reasons)
        texts[f"{group}_hangs"] = hangs_list(rows, changes(rows, root))
        texts[group] = claims_table(rows)
        if side_by_side := comparison_table(rows.index, root):
            texts[f"{group}_beside"] = side_by_side
    for paper, rows in misprints(root).groupby("paper", sort=False):
        texts[f"{paper}_misprints"] = misprints_table(rows)
    return texts


# ------------------------------------------------------------------------------------- claims


def judged(root: Path) -> pd.DataFrame:
    """The statements of the papers with their verdicts, at the scale of the papers and by analyses.

    Returns: one row per statement, index its id: columns of data/published/claims.csv; group (the
        id before the hyphen), verdict, measured; n_analyses, n_open, repeats, and of how many
        analyses each verdict is, `-` where none was run.
    """
    import pandas as pd

    published = read_csv(root / "data/published/claims.csv").fillna("").set_index("claim_id")
    published["group"] = published.index.str.split("-").str[0]
    files = sorted(root.glob("data/reference/*/*_claims.csv"))
    columns = ["verdict", "measured", "lacking", "hangs_on", "n_datasets"]
    kept = pd.concat([from_reference(read_csv(file)).set_index("claim")[columns] for file in files])
    claims = published.join(kept)
    texts = ["verdict", "measured", "lacking", "hangs_on"]
    claims[texts] = claims[texts].fillna("")
    claims["measured"] = claims["measured"].where(claims["measured"] != "", claims["lacking"])
    read = [from_reference(read_csv(f)) for f in tracked_tables(root, "verdicts")]
    under = pd.concat(read).set_index("claim")
    for verdict in _DECIDED:
        shares = under[verdict.replace(" ", "_")].fillna(0)
        under[verdict] = (shares * under["n_analyses"]).round().astype(int)
    counted = ["n_analyses", "n_open", "repeats", *_DECIDED]
    under["word"] = [*map(word_of, under[REPRODUCED] / under["n_analyses"], under["n_analyses"])]
    return claims.join(under[[*counted, "word"]]).assign(
        **{name: lambda t, name=name: t[name].fillna(-1).astype(int) for name in counted}
    )


def titles(claims: pd.DataFrame, root: Path) -> dict[str, str]:
    """Names of the groups of statements: a paper, and where it has several groups their chapter."""
    cited = {paper["id"]: cited_as(paper) for paper in papers(root / "CITATION.cff")}
    n_groups = claims.groupby("paper")["group"].nunique()
    return {
        group: cited[rows["paper"].iloc[0]]
        + (f", chapter {rows['section'].iloc[0][0]}" if n_groups[rows["paper"].iloc[0]] > 1 else "")
        for group, rows in claims.groupby("group", sort=False)
    }


def cited_as(paper: Mapping[str, Any]) -> str:
    """A paper by first author and year."""
    first, *others = paper["authors"].split(", ")
    return f"{first}{' and others' if others else ''} ({paper['year']})"


def verdicts_table(claims: pd.DataFrame, root: Path) -> str:
    """Counts of verdicts, a row per chapter or paper; behind them what analyses make of them."""
    heads = ["paper", "statements", *VERDICTS, *MARKS]
    rows, names = [], titles(claims, root)
    for group, of_group in claims.groupby("group", sort=False):
        verdicts, words = Counter(of_group["verdict"]), Counter(of_group["word"])
        counts = [len(of_group), *(verdicts[v] for v in VERDICTS), *(words[w] for w in MARKS)]
        rows.append([names[group], *counts])
    total = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    return table(heads, [*rows, ["all", *total]], texts=1)


def standing_table(claims: pd.DataFrame) -> str:
    """Which statements hold in every analysis, which under some, which under none."""
    read, some = claims["n_analyses"] > 0, claims[REPRODUCED] > 0
    every = read & (claims[REPRODUCED] == claims["n_analyses"])
    holds, partly, fails = (claims["verdict"] == verdict for verdict in _DECIDED)
    kinds = {
        "reproduced, and in every analysis": holds & every,
        "reproduced, and not in every analysis": holds & read & ~every,
        "reproduced, no analysis was judged": holds & ~read,
        "partly, and reproduced in some analysis": partly & some,
        "partly, and reproduced in no analysis": partly & read & ~some,
        "partly, no analysis was judged": partly & ~read,
        "not reproduced, but in some analysis": fails & some,
        "not reproduced, in no analysis": fails & read & ~some,
        "not reproduced, no analysis was judged": fails & ~read,
        "no verdict": ~(holds | partly | fails),
    }
    rows = [[kind, ", ".join(claims.index[mask])] for kind, mask in kinds.items() if mask.any()]
    return table(["at the scale of the papers, and by analyses", "statements"], rows)


def repeats_line(claims: pd.DataFrame, root: Path) -> str:
    """Statements on which the fewer repeats of the analyses give another verdict as it is."""
    points = choice_verdicts(root)
    here = points[points["analysis"] == HERE].set_index("claim")["verdict"]
    here = here[here.isin(_DECIDED)]
    rows = [
        f"{name} ({claims.loc[name, 'verdict']}, with fewer {here[name]})"
        for name in claims.index.intersection(here.index)
        if claims.loc[name, "verdict"] != here[name]
    ]
    return ", ".join(rows) + "."


def claims_table(claims: pd.DataFrame) -> str:
    """Statements with what was measured, the verdict, and how it fares in other analyses."""
    rows = [
        [f"**{name}** {row['statement']}", row["measured"], row["verdict"], over_choices(row)]
        for name, row in claims.iterrows()
    ]
    return table(["statement", "measured here", "verdict", "analyses"], rows)


def over_choices(row: Mapping[str, Any]) -> str:
    """Verdicts of a statement over all analyses."""
    n, n_open = row["n_analyses"], row["n_open"]
    counts = {verdict: row[verdict] for verdict in _DECIDED if row[verdict] > 0}
    if n < 0:
        return "no other analysis"
    if n == 0:
        return f"inconclusive in all {n_open} analyses"
    text = ", ".join(f"{word} {count}" for word, count in counts.items()) + f" of {n} analyses"
    if len(counts) == 1:
        text = f"{next(iter(counts))} in all {n} analyses"
    return text + (f", inconclusive under {n_open}" if n_open > 0 else "")


def why(root: Path) -> dict[str, tuple[str, Passage]]:
    """Page of notes and passage that tell why a claim holds or not."""
    return {
        name: (path, passage)
        for path in note_files(root)
        for name, passage in passages(read_text(root / path)).items()
    }


def holds_list(claims: pd.DataFrame) -> str:
    """What is reproduced, with how it fares in other analyses."""
    reproduced = claims[claims["verdict"] == REPRODUCED]
    return "\n".join(
        f"- **{name}** ({over_choices(row)}): {row['statement']}"
        for name, row in reproduced.iterrows()
    )


def fails_list(claims: pd.DataFrame, reasons: Mapping[str, tuple[str, Passage]]) -> str:
    """What is not reproduced, or partly, with the reason; one item for all that share it."""
    shared: dict[Passage, list[str]] = {}
    for name in claims.index[claims["verdict"] != REPRODUCED]:
        shared.setdefault(reasons[name][1], []).append(name)
    items = []
    for passage, names in shared.items():
        listed = "\n  ".join(
            f"**{name}**, {claims.loc[name, 'verdict']}: {claims.loc[name, 'statement']}"
            for name in names
        )
        items.append(f"- {listed}\n  *Why:* {passage.text[0].upper()}{passage.text[1:]}")
    return "\n".join(items)


def comparison_table(names: Sequence[str], root: Path) -> str:
    """Verdicts of the same rules on other trees, on the authors' code, on the printed cells."""
    for file in sorted(root.glob("data/reference/*/*_claims.csv")):
        kept = from_reference(read_csv(file, text=True)).set_index("claim")
        columns = [f"verdict_{name}" for name in _COMPARED if f"verdict_{name}" in kept]
        if columns and set(names) <= set(kept.index):
            heads = [
                "statement",
                "verdict",
                *(_COMPARED[c.removeprefix("verdict_")] for c in columns),
            ]
            rows = kept.loc[list(names), ["verdict", *columns]].to_dict("split")["data"]
            cells = [[n, *(v or NONE for v in row)] for n, row in zip(names, rows, strict=True)]
            return table(heads, cells)
    return ""


# ----------------------------------------------------------------------------------- analyses


def choice_verdicts(root: Path) -> pd.DataFrame:
    """Every statement in every analysis: claim, analysis, verdict."""
    import pandas as pd

    files = tracked_tables(root, "points")
    frames = [from_reference(read_csv(file)) for file in files]
    return pd.concat(frames)[["claim", "analysis", "verdict"]]


def changes(claims: pd.DataFrame, root: Path) -> pd.DataFrame:
    """Verdicts that a choice changes, if it alone is made in another way.

    Returns: claim, was, verdict, choice, otherwise, place, open; both verdicts are of the same
        repeats.
    """
    import pandas as pd

    points = choice_verdicts(root)
    points = points[points["claim"].isin(claims.index)]
    here = points[points["analysis"] == HERE].set_index("claim")["verdict"].rename("was")
    changed = points.join(here, on="claim")
    changed = changed[
        (changed["verdict"] != changed["was"]) & ~changed["analysis"].str.contains(", ")
    ]
    changed[["choice", "otherwise"]] = changed["analysis"].str.split("=", n=1, expand=True)
    kept = pd.DataFrame(
        [
            {"experiment": experiment, "choice": name, "place": choice.place, "open": choice.open}
            for experiment, choices in read_choices(read_yaml(root / SOURCE)).items()
            for name, choice in choices.choices.items()
        ]
    )
    changed = changed.join(claims["experiment"], on="claim")
    return changed.merge(kept, on=["experiment", "choice"])


def hangs_list(claims: pd.DataFrame, changed: pd.DataFrame) -> str:
    """Statements whose verdict one choice changes, with the choices and what they make of it."""
    items = []
    for name in claims.index.intersection(changed["claim"]):
        rows, verdicts = changed[changed["claim"] == name], []
        for verdict, alike in rows.groupby("verdict", sort=False):
            choices = alike.groupby("choice", sort=False)["otherwise"].agg(", ".join)
            named = _listed([f"{choice} ({other})" for choice, other in choices.items()])
            verdicts.append(f"{verdict} with {named}")
        was = rows["was"].iloc[0]
        items.append(f"- **{name}**, {was} by our choices: {'; '.join(verdicts)}.")
    none = "No choice that is read in another way, by itself, changes a verdict."
    return "\n".join(items) or none


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


# -------------------------------------------------------------------------------------- cells


def compared(cells: pd.DataFrame) -> pd.DataFrame:
    """Printed cells that were measured, with how near they are.

    Returns: what was given, with `kind` (fact, word or number), `same` (to the last printed digit)
        and `apart`: the difference as a share of the largest printed value of the metric in the
        table; 0 or 1 for words.
    """
    import pandas as pd

    near = cells[cells["reason"] == ""].copy()
    number, value = (pd.to_numeric(near[n]) for n in ("measured", "published_value"))
    words = number.isna() | near["unit"].isin(["yes_no", "winner"])
    near["kind"] = words.map({True: "word", False: "number"})
    near.loc[near["metric"].isin(FACTS), "kind"] = "fact"
    largest = value.abs().groupby([near["table"], near["metric"]]).transform("max")
    apart = (number - value).abs()
    bound = near["published"].str.strip().str.startswith("<") & (number < value)
    equal = near["measured_text"].where(near["measured_text"] != "", near["measured"])
    near["same"] = (apart <= near["published"].map(half_digit) + 1e-9) | bound
    near.loc[words, "same"] = equal[words] == near["published"][words]
    shares = (apart / largest.where(largest > 0)).where(~bound, 0.0).fillna(apart)
    near["apart"] = shares.where(~words, (~near["same"]).astype(float))
    return near


def half_digit(text: str) -> float:
    """Half of the last printed digit; half of a part for a fraction such as 10/11."""
    text = text.strip("<> %")
    if "/" in text:
        return 0.5 / float(text.partition("/")[2])
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def cells_table(root: Path, by: Callable[[str], str]) -> str:
    """How many printed cells were measured, and how near they are, a row per group of tables."""
    cells = read_csv(root / AT_SCALE, text=True)
    cells["row"] = cells["table"].map(by)
    facts = cells["metric"].isin(FACTS)
    cells.loc[facts, "row"] = cells.loc[facts, "row"] + ", facts of data sets"
    near = compared(cells)
    heads = ["printed in", "cells", "measured", "to the last digit"]
    heads += [f"within {100 * share:.0f} %" for share in NEAR]
    rows = [
        [name, len(printed), *_near(near[near["row"] == name])]
        for name, printed in cells.groupby("row", sort=False)
    ]
    total = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    return table(heads, [*rows, ["all", *total]], texts=1)


def chapter(table: str, root: Path) -> str:
    """Paper of a table of data/published; of the thesis the chapter, too."""
    paper, _, rest = table.partition("_")
    cited = {one["id"]: cited_as(one) for one in papers(root / "CITATION.cff")}[paper]
    number = rest.removeprefix("table_")[0] if rest.startswith("table_") else ""
    if paper != "thesis":
        return cited
    return f"{cited}, chapter {number}" if number else f"{cited}, numbers in the text"


def _near(cells: pd.DataFrame) -> list[int]:
    near = (int((cells["apart"] <= share + 1e-9).sum()) for share in NEAR)
    return [len(cells), int(cells["same"].sum()), *near]


def place(name: str) -> str:
    """Where something is printed, from the id of a table or as it is given.

    >>> place("thesis_table_3_4"), place("confdtree_table_2"), place("6.3")
    ('thesis, table 3.4', 'ConfDTree, table II', '6.3')
    """
    paper, _, rest = name.partition("_")
    kind, _, number = rest.partition("_")
    title = {"thesis": "thesis", "confdtree": "ConfDTree", "e2m": "E2M", "eig": "EIG"}.get(paper)
    if title is None or kind not in ("table", "text"):
        return name
    if kind == "text":
        return f"{title}, numbers in the text"
    if paper == "confdtree":
        return f"{title}, table {_ROMAN[number]}"
    return f"{title}, table {number.replace('_', '.')}"


# ---------------------------------------------------------------------------------- misprints


def misprints(root: Path) -> pd.DataFrame:
    """All misprints that stand (`hedgerow_study.experiments.audit.misprints`)."""
    files = sorted((root / "data/published").glob("*.csv"))
    published = {file.stem: read_csv(file, text=True) for file in files if file.stem != "claims"}
    registry = load_registry(root / "config/datasets.yaml")
    every_misprint = table_of(
        published, printed_sizes(registry, ["thesis3", "thesis4", "confdtree"])
    )
    return every_misprint[every_misprint["stands"]]


def misprints_table(rows_of_paper: pd.DataFrame) -> str:
    """Misprints of a paper: where, what is printed, what follows, and from which computation."""
    rows = []
    for row in rows_of_paper.itertuples():
        how = "analysis both places" if row.computed == MANUAL else row.computed
        where = place(row.place).partition(", ")[2] if "_table_" in row.place else row.place
        texts = (in_form(_some(text)) for text in (row.printed, row.follows))
        rows.append([f"{where} (`{row.id}`)", *texts, how])
    return table(["place", "printed", "what follows", "from"], rows)


def _some(text: str) -> str:
    """The first of several items."""
    items = text.split("; ")
    more = len(items) - _SHOWN
    return "; ".join(items[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


# ---------------------------------------------------------------------------- choice of a method


def gain(effects: pd.DataFrame, levels: Sequence[float]) -> str:
    """What a tree gains that knows the size of errors, beside a forest that does not."""
    given_size = effects[(effects["condition"] == "error") & (effects["second"] == "c45")]
    by = given_size.set_index(["metric", "first"])
    tree, forest = (by.loc[("accuracy", method)] for method in ("uncertain_data_tree", "forest"))
    changed, of_forest = (
        by.loc[("changes", method)] for method in ("uncertain_data_tree", "forest")
    )
    sizes = f"{', '.join(map(str, levels[:-1]))} or {levels[-1]}"
    text = (
        f"We added normally distributed errors to {tree['n_datasets']} data sets. Their standard "
        f"deviation is {sizes} of the variable's, and methods that can use it are given it. "
        f"`UncertainDataTreeClassifier` gains **{points(tree['difference'])}** of accuracy over "
        f"the classic tree C4.5 ({interval(tree['low'], tree['high'], 1)}), a random forest "
        f"{signed(forest['difference'], 1)} ({interval(forest['low'], forest['high'], 1)}). On a "
        "simulated second "
        f"measurement, **{number(changed['mean_first'], 1)} of 100 predictions change** instead of "
        f"{number(changed['mean_second'], 1)} with C4.5 and {number(of_forest['mean_first'], 1)} "
        f"with the forest. A [file]({SUITE}) fixed methods and conditions before the first run. "
        f"`hedgerow reference {EXPERIMENT} --all` computes these numbers; "
        f"[more conditions]({CHOICE})."
    )
    return textwrap.fill(text, 118, break_on_hyphens=False, break_long_words=False)


def which_method(root: Path) -> dict[str, str]:
    """Text of each table by its name; none where there are no such results."""
    folder = root / RESULTS / EXPERIMENT
    if not folder.is_dir():
        return {}
    effects = from_reference(read_csv(folder / "uncertainty_benchmark_effects.csv"))
    return {
        "conditions": conditions_table(effects),
        "changes": _changes(effects),
        "rule": _rule(from_reference(read_csv(folder / "uncertainty_benchmark_rule.csv"))),
        "honesty": _honesty(from_reference(read_csv(folder / "uncertainty_benchmark_honesty.csv"))),
        "people": _people(from_reference(read_csv(folder / "uncertainty_benchmark_people.csv"))),
    }


def _gain(line: pd.Series) -> str:
    """A difference with its interval."""
    if not is_number(line["difference"]):
        return NONE
    ends = between(line["low"], line["high"], 1, signed)
    return _bold(f"{signed(line['difference'], 1)}, {ends}", line)


def _bold(text: str, line: pd.Series) -> str:
    """Bold where a difference holds after Holm's correction."""
    return f"**{text}**" if line["p_holm"] < 0.05 else text


def conditions_table(effects: pd.DataFrame, conditions: Iterable[str] = CONDITION_LABELS) -> str:
    """What learners gain on C4.5 in accuracy, a row per condition of those that were run."""
    gains = effects[(effects["metric"] == "accuracy") & (effects["second"] == "c45")]
    lines = []
    for condition in conditions:
        of_condition = gains[gains["condition"] == condition].set_index("first")
        if of_condition.empty:
            continue
        readable = of_condition.loc[[m for m in READABLE if m in of_condition.index]]
        best = readable["difference"].idxmax()
        cells = [CONDITION_LABELS[condition], number(readable["mean_second"].iloc[0], 1)]
        cells += [f"{LABELS[best]} {_gain(readable.loc[best])}"]
        cells += [_gain(of_condition.loc[m]) for m in ("uncertain_data_tree", "forest", "logistic")]
        lines.append(cells)
    heads = ["condition", "C4.5", "best readable tree", "uncertain-data tree", "forest", "logistic"]
    return table(heads, lines, texts=1)


def _changes(effects: pd.DataFrame) -> str:
    changes = effects[(effects["metric"] == "changes") & (effects["second"] == "c45")]
    lines = []
    for condition, name in CONDITION_LABELS.items():
        of_condition = changes[changes["condition"] == condition].set_index("first")
        if len(of_condition):
            steady = [of_condition.loc[m] for m in STEADY]
            cells = [_bold(number(line["mean_first"], 1), line) for line in steady]
            lines.append([name, number(of_condition["mean_second"].iloc[0], 1), *cells])
    return table(["condition", LABELS["c45"], *(LABELS[m] for m in STEADY)], lines, texts=1)


def _rule(leaves: pd.DataFrame) -> str:
    lines = []
    for line in leaves.to_dict("records"):
        among = {"readable": "a readable tree", "all": "any learner"}[line["among"]]
        asked = " and ".join(f"`{test}`" for test in line["rule"].split(" AND "))
        cells = [among, asked, LABELS[line["method"]]]
        names = ("accuracy", "accuracy_c45", "accuracy_forest", "accuracy_best")
        lines.append([*cells, *(number(line[name], 1) for name in names)])
    heads = ["if you want", "where", "take", "accuracy", "C4.5", "forest", "best"]
    return table(heads, lines, texts=3)


def _honesty(honesty: pd.DataFrame) -> str:
    wide = honesty.set_index(["choice", "among"])
    lines = []
    for choice, name in CHOICE_LABELS.items():
        cells = [name]
        for among in ("readable", "all"):
            is_measured = (choice, among) in wide.index
            cells.append(number(wide.loc[(choice, among), "accuracy"], 1) if is_measured else "–")
        lines.append(cells)
    return table(
        ["taken on a data set that was left out", "readable trees", "any learner"], lines, texts=1
    )


def _people(people: pd.DataFrame) -> str:
    lines = []
    for line in people.to_dict("records"):
        cells = [PEOPLE_LABELS[line["method"]], number(line["accuracy"], 1)]
        cells += [number(line["log_loss"], 2)]
        cells += [number(line[name], 1) for name in ("changes", "expected_changes")]
        lines.append(cells)
    return table(
        ["learner", "accuracy", "log loss", "changes", "predicted changes"], lines, texts=1
    )
