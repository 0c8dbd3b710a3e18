"""Pages on the tracked results follow from them; letters and checklists are whole."""

from __future__ import annotations

import csv
import doctest
import re
from collections import Counter, defaultdict
from pathlib import Path

import pandas as pd
import pytest
from throwaway import ROOT

from hedgerow_study.experiments.audit.misprints import MISPRINTS
from hedgerow_study.extensions.uncertainty_benchmark.plan import READABLE
from hedgerow_study.extensions.uncertainty_benchmark.tables import CONDITION_LABELS, LABELS
from hedgerow_study.reporting.analytic_choices import tracked_tables
from hedgerow_study.reporting.claim_specification import FORMER
from hedgerow_study.reporting.claims import FORMER_COLUMNS, from_reference
from hedgerow_study.reporting.notes import note_files, passages
from hedgerow_study.workflow.showing import result_pages
from hedgerow_study.workflow.showing.result_pages import CHOICE, STEADY, TABLES, gain, which_method
from hedgerow_study.workflow.showing.site import papers

KEPT = ROOT / "data/reference/uncertainty_benchmark"
PAPERS = [paper["id"] for paper in papers(ROOT / "CITATION.cff")]
LIMIT = 700
PAGES = {page: t for page, t in result_pages.pages(ROOT).items() if page.startswith("docs/")}
REPORT = PAGES[result_pages.PAGE]


def rows(name: str) -> list[dict[str, str]]:
    """Rows of a CSV file by another reader than that of the page."""
    with (ROOT / name).open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    return [{FORMER_COLUMNS.get(k, k): value for k, value in row.items()} for row in found]


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def table(markdown: str) -> list[list[str]]:
    """Cells of a table without its head."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.split(" | ")] for line in lines]


STATED = {row["claim_id"]: row for row in rows("data/published/claims.csv")}
VERDICTS = {
    row["claim"]: FORMER.get(row["verdict"], row["verdict"])
    for file in ROOT.glob("data/reference/*/*_claims.csv")
    for row in rows(file.relative_to(ROOT).as_posix())
    if row["claim"] in STATED
}
GROUPS = list(dict.fromkeys(name.partition("-")[0] for name in STATED))


def test_there_is_a_letter_for_each_paper():
    assert {path.stem for path in (ROOT / "docs/authors").glob("*.md")} == set(PAPERS)


@pytest.mark.parametrize("page", PAGES)
def test_every_mark_has_its_text(page):
    """And every text its mark, once: what is made is shown, and nothing else stands there."""
    marks = re.findall(
        r"^<!-- (\w+): make generated -->\n(.*?)^<!-- end -->$", text(page), re.M | re.S
    )
    assert [name for name, _ in marks] == list(dict.fromkeys(name for name, _ in marks))
    assert {name: said.rstrip("\n") for name, said in marks} == PAGES[page]
    assert all(PAGES[page].values())


def test_nothing_is_made_where_the_results_are_not_all_there(tmp_path):
    assert result_pages.pages(tmp_path) == which_method(tmp_path) == {}


def test_counts_of_verdicts_are_those_of_the_files():
    found = {group: Counter() for group in GROUPS}
    for name in STATED:
        found[name.partition("-")[0]][VERDICTS[name]] += 1
    order = ["reproduced", "partly", "not reproduced", "inconclusive", "not testable"]
    wanted = [[sum(c.values()), *(c[verdict] for verdict in order)] for c in found.values()]
    lines = [[int(n.rstrip(" |")) for n in line[1:7]] for line in table(REPORT["verdicts"])]
    assert lines[:-1] == wanted
    assert lines[-1] == [sum(column) for column in zip(*wanted, strict=True)]


def test_words_of_analyses_are_those_of_the_files():
    words = Counter()
    for file in tracked_tables(ROOT, "verdicts"):
        for row in rows(file.relative_to(ROOT).as_posix()):
            n, share = int(row["n_analyses"]), row["reproduced"]
            none, every = float(share or 0) == 0.0, float(share or 0) == 1.0
            words["in all" if every else "in none" if none else "in some"] += n >= 8
    last = [cell.rstrip(" |") for cell in table(REPORT["verdicts"])[-1]]
    assert [int(n) for n in last[-3:]] == [words[w] for w in ("in all", "in some", "in none")]


def test_each_statement_stands_in_one_place():
    listed = re.findall(r"[A-Z0-9]+-\d\d", REPORT["standing"])
    assert sorted(listed) == sorted(STATED)
    for group in GROUPS:
        names = [name for name in STATED if name.startswith(f"{group}-")]
        assert re.findall(r"^\| \*\*([\w-]+)\*\*", REPORT[group], re.M) == names
        holds = re.findall(r"\*\*([\w-]+)\*\* \(", REPORT[f"{group}_holds"])
        assert holds == [name for name in names if VERDICTS[name] == "reproduced"]


def test_what_stands_under_every_analysis_does():
    verdicts = defaultdict(set)
    for file in tracked_tables(ROOT, "points"):
        for row in rows(file.relative_to(ROOT).as_posix()):
            verdicts[row["claim"]].add(row["verdict"])
    wanted = [n for n in STATED if VERDICTS[n] == "reproduced" and verdicts[n] == {"reproduced"}]
    kinds = {line[0].removeprefix("| "): line[1].rstrip(" |") for line in table(REPORT["standing"])}
    assert kinds["reproduced, and in every analysis"].split(", ") == wanted


def test_all_that_is_not_reproduced_is_told_with_its_reason():
    reasons = {}
    for path in note_files(ROOT):
        reasons |= passages((ROOT / path).read_text(encoding="utf-8"))
    told = {}
    for group in GROUPS:
        for item in REPORT[f"{group}_fails"].split("\n- "):
            names = re.findall(r"\*\*([\w-]+)\*\*, ([\w ]+): ", item)
            said = item.partition("*Why:* ")[2]
            told |= {name: (verdict, said.strip()) for name, verdict in names}
    assert set(told) == {name for name in STATED if VERDICTS[name] != "reproduced"}
    for name, (verdict, said) in told.items():
        reason = reasons[name].text
        assert verdict == VERDICTS[name] and STATED[name]["statement"] in text(result_pages.PAGE)
        assert said[1:] == reason[1:] and said[0] == reason[0].upper()


def test_cells_are_counted_once_and_near_ones_by_hand():
    cells = rows("data/reference/comparison/comparison.csv")
    for name in ("cells", "tables"):
        last = [int(n.rstrip(" |")) for n in table(REPORT[name])[-1][1:]]
        assert last[:2] == [len(cells), sum(not cell["reason"] for cell in cells)]
        *lines, total = ([int(n.rstrip(" |")) for n in line[1:]] for line in table(REPORT[name]))
        assert total == [sum(column) for column in zip(*lines, strict=True)]
    own = [c for c in cells if c["table"] == "e2m_table_1"]
    near = []
    for metric in ("error_rate", "evidential_error_rate"):
        largest = max(float(c["published"]) for c in own if c["metric"] == metric)
        apart = [float(c["difference"]) / largest for c in own if c["metric"] == metric]
        near += [abs(share) <= 0.1 for share in apart]
    (line,) = [line for line in table(REPORT["tables"]) if line[0] == "| E2M, table 1"]
    assert [int(line[1]), int(line[2]), int(line[5])] == [len(own), len(own), sum(near)]


@pytest.mark.parametrize(
    ("printed", "half"),
    [("12", 0.5), ("0.10", 0.005), ("10/11", 0.5 / 11), ("< 0.001", 0.0005), (">12.4", 0.05)],
)
def test_the_last_printed_digit(printed, half):
    assert result_pages.half_digit(printed) == pytest.approx(half)


def test_every_misprint_is_told_here_and_beside_the_published_figures():
    """Their page and the table of the report had drifted apart: each named some of the other's."""
    ids = [misprint.id for misprint in MISPRINTS]
    told = "\n".join(REPORT[f"{paper}_misprints"] for paper in PAPERS)
    assert sorted(re.findall(r"^\| [^|]*\(`(\w+)`\)", told, re.M)) == sorted(ids)
    page = text("data/published/README.md").partition("## Misprints")[2]
    assert sorted(re.findall(r"\(`(\w+)`\)", page)) == sorted(ids)


def test_a_choice_that_changes_a_verdict_is_told():
    points = rows("data/reference/readings/search/readings_points.csv")
    here = {row["claim"]: row["verdict"] for row in points if row["analysis"] == "as here"}
    changed = {
        row["claim"]
        for row in points
        if ", " not in row["analysis"] and row["verdict"] != here[row["claim"]]
    }
    told = re.findall(r"^- \*\*([\w-]+)\*\*", REPORT["T4_hangs"], re.M)
    assert told == sorted(changed)


@pytest.mark.parametrize("paper", PAPERS)
def test_pages_to_authors_keep_to_their_limit(paper):
    assert len(text(f"docs/authors/{paper}.md").split()) <= LIMIT


LETTERS = [f"docs/authors/{paper}.md" for paper in PAPERS]


@pytest.mark.parametrize("page", [result_pages.PAGE, *LETTERS])
def test_snippets_print_what_the_page_says(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    test = doctest.DocTestParser().get_doctest(text(page), {}, page, page, 0)
    assert not doctest.DocTestRunner().run(test).failed
    assert test.examples


def test_the_checklists_are_whole():
    """REFORMS has 32 items in eight modules, the other list 21; each has an answer."""
    items = re.findall(
        r"^\| (\d[a-h]|[a-z]+ \d) \| [^|]+ \| ([^|]+) \| ", text("docs/checklists.md"), re.M
    )
    names = [name for name, _ in items]
    sizes = Counter(name[0] for name in names if name[0].isdigit())
    assert [sizes[n] for n in "12345678"] == [3, 5, 7, 3, 6, 3, 3, 2]
    assert Counter(name.split()[0] for name in names if " " in name) == {
        "models": 3, "theory": 2, "data": 5, "code": 5, "results": 6
    }  # fmt: skip
    assert all(re.match(r"(yes|no|not applicable)\b", answer) for _, answer in items)


def test_files_that_checklists_name_are_there():
    for name in re.findall(
        r"`((?:config|data|docs|src|tests|workflow)/[^`\s]*)`", text("docs/checklists.md")
    ):
        if not name.startswith("data/t"):  # made by a run
            assert list(ROOT.glob(name)), name


def test_where_something_is_printed():
    said = [result_pages.place(n) for n in ("thesis_table_3_4", "confdtree_table_2", "6.3")]
    assert said == ["thesis, table 3.4", "ConfDTree, table II", "6.3"]
    assert result_pages.place("eig_text_numbers") == "EIG, numbers in the text"
    assert Path(result_pages.PAGE).parent == Path("docs")


# ------------------------------------------------------------------------- choice of a method


def effect(condition, first, difference, p, metric="accuracy", second="c45"):
    """A line of the table of effects."""
    told = {"condition": condition, "metric": metric, "first": first, "second": second}
    numbers = {"mean_first": 70.0 + difference, "mean_second": 70.0}
    numbers |= {"difference": difference, "p_holm": p}
    return {**told, **numbers, "low": difference - 1.0, "high": difference + 1.0}


@pytest.fixture
def project(tmp_path):
    """A project with a few results."""
    folder = tmp_path / "data/reference/uncertainty_benchmark"
    folder.mkdir(parents=True)
    effects = [
        effect("clean", "ss", 1.0, 0.2),
        effect("clean", "stp", 2.5, 0.01),
        effect("clean", "uncertain_data_tree", 0.0, 1.0),
        effect("clean", "forest", 5.0, 0.001),
        effect("clean", "logistic", -3.0, 0.3),
        # What is not accuracy beside C4.5 belongs elsewhere.
        effect("clean", "ss", 9.0, 0.01, metric="macro_f1"),
        effect("clean", "ss", 9.0, 0.01, second="forest"),
        *(effect("error", first, -60.0, 0.01, metric="changes") for first in STEADY[:-1]),
        effect("error", STEADY[-1], -50.0, 0.2, metric="changes"),
    ]
    pd.DataFrame(effects).to_csv(folder / "uncertainty_benchmark_effects.csv", index=False)
    leaf = {"among": "readable", "rule": "error < 0.3 AND n_rows >= 99", "method": "stp"}
    leaf |= {"accuracy": 80.0}
    leaf |= {"accuracy_c45": 79.0, "accuracy_forest": 82.0, "accuracy_best": 83.0}
    pd.DataFrame([leaf]).to_csv(folder / "uncertainty_benchmark_rule.csv", index=False)
    honesty = [("readable", "rule", 77.0), ("readable", "c45", 76.0), ("all", "rule", 80.0)]
    honesty = pd.DataFrame(honesty, columns=["among", "choice", "accuracy"])
    honesty.to_csv(folder / "uncertainty_benchmark_honesty.csv", index=False)
    people = [("c45", 60.0, 1.2, 9.0, float("nan")), ("uncertain_data_tree", 73.3, 0.53, 10.7, 8.3)]
    names = ["method", "accuracy", "log_loss", "changes", "expected_changes"]
    pd.DataFrame(people, columns=names).to_csv(
        folder / "uncertainty_benchmark_people.csv", index=False
    )
    return tmp_path


def test_tables_say_what_the_results_say(project):
    found = which_method(project)
    assert tuple(found) == TABLES
    *_, line = found["conditions"].splitlines()
    stp = f"{LABELS['stp']} **+2.5, +1.5 to +3.5**"
    same = "0.0, −1.0 to +1.0"
    others = "**+5.0, +4.0 to +6.0** | −3.0, −4.0 to −2.0"
    assert line == f"| no uncertainty | 70.0 | {stp} | {same} | {others} |"
    *_, line = found["changes"].splitlines()
    steady = " | ".join(["**10.0**"] * (len(STEADY) - 1))
    assert line == f"| errors, size given | 70.0 | {steady} | 20.0 |"
    *_, line = found["rule"].splitlines()
    where = "`error < 0.3` and `n_rows >= 99`"
    assert line == f"| a readable tree | {where} | STP | 80.0 | 79.0 | 82.0 | 83.0 |"
    assert "| the rule of thumb | 77.0 | 80.0 |" in found["honesty"]
    assert "| C4.5 | 76.0 | – |" in found["honesty"]
    assert "| uncertain-data tree | 73.3 | 0.53 | 10.7 | 8.3 |" in found["people"]
    assert "| C4.5, errors not given | 60.0 | 1.20 | 9.0 | – |" in found["people"]


def test_readme_has_the_method_that_was_chosen_beforehand():
    """The best tree picked afterwards gains more: its numbers are not for a headline."""
    effects = []
    for first, more in (("ss_stp_se", 9.0), ("uncertain_data_tree", 2.0), ("forest", 5.0)):
        effects.append(effect("error", first, more, 0.01))
        effects.append(effect("error", first, -more, 0.01, metric="changes"))
        effects.append(effect("all", first, 7.0, 0.01))
    text = " ".join(gain(pd.DataFrame(effects).assign(n_datasets=4), [0.1, 0.2, 0.4]).split())
    assert "added normally distributed errors to 4 data sets" in text
    assert "**+2.0 percentage points** of accuracy over the classic tree C4.5 (95 % CI 1.0" in text
    assert "a random forest +5.0 (95 % CI 4.0 to 6.0)" in text
    assert "**68.0 of 100 predictions change** instead of 70.0 with C4.5 and 65.0 with the" in text
    assert "deviation is 0.1, 0.2 or 0.4 of the variable's" in text


def test_the_page_on_choices_is_read_in_three_minutes():
    prose = re.sub(r"^\|.*$|<!--.*?-->", "", text(CHOICE), flags=re.MULTILINE)
    assert len(prose.split()) <= 3 * 220  # words a minute


def test_the_page_tells_every_condition_and_the_best_of_each():
    page = text(CHOICE)
    effects = from_reference(pd.read_csv(KEPT / "uncertainty_benchmark_effects.csv"))
    own = effects[(effects["metric"] == "accuracy") & (effects["second"] == "c45")]
    own = own[own["first"].isin(READABLE)]
    for condition, name in CONDITION_LABELS.items():
        there = own[own["condition"] == condition]
        best = there.loc[there["difference"].idxmax()]
        line, *_ = re.findall(rf"^\| {name} \|.*$", page, flags=re.MULTILINE)
        cell = line.split("|")[3].strip(" ")
        assert cell.startswith(LABELS[best["first"]])
        assert ("**" in cell) == (best["p_holm"] < 0.05)
