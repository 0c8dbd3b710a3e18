"""The report as a small site that opens from disk, without a network.

`pages` puts the sections of the experiments, the claims, the data sets and the sources together;
`paths` says beforehand which files there will be. Links are relative, files of the reports
(``reports/figures``, ``reports/tables``) lie beside the folder of the site.

What differs from run to run (commit, machine, command, times) stands in ``assets/run.js``, which
`hedgerow_study.workflow.showing.record` writes after a run: the pages themselves hold nothing of
it, so that the same state gives the same bytes.
"""

from __future__ import annotations

import html as escaping
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from markupsafe import Markup

from hedgerow.files import read_yaml
from hedgerow.ids import PAPERS
from hedgerow.showing.numbers import minus
from hedgerow_study.reporting.analytic_choices import MARKS, in_a_sentence
from hedgerow_study.reporting.claim_specification import (
    ANSWERS,
    NOT_TESTABLE,
    TOO_LITTLE,
    VERDICTS,
    is_research_question,
    verdict_text,
)
from hedgerow_study.reporting.entries import Entry
from hedgerow_study.reporting.findings import Finding, paragraphs
from hedgerow_study.reporting.html import Section, render

#: Pages that every site has: file -> title. The first ones stand in the menu.
MENU = {
    "datasets.html": "Data sets",
    "claims.html": "Claims",
    "comparison.html": "Comparison",
    "misprints.html": "Misprints",
    "rules.html": "Rules",
    "glossary.html": "Glossary",
    "check.html": "Check it yourself",
}
ASSETS = tuple(f"reporting/site/{n}" for n in ("style.css", "site.js", "find.js", "cells.js"))
WORDS = "reporting/site/words.yaml"
#: Title of the claims that no paper makes.
OURS = "Questions of our own"
#: Columns from which on a table is wider than the text: of numbers, of texts.
WIDE, WIDE_TEXTS = 11, 6


@dataclass(frozen=True)
class Content:
    """What the site is made of.

    Attributes
    ----------
    configuration : str
    seed : int
    sections : sequence of Section
        In the order of the menu.
    claims : sequence of dict
        Rows of reports/claims.csv, empty texts where there is nothing.
    reasons : mapping of (str, str, int)
        By claim, why it holds or not as far as the notes tell: HTML, the file of the notes (one of
        `sources`) and the line there.
    entries : mapping of Entry
        What judges each claim, as config/claims.yaml says it.
    how_to_test : mapping of str
        By claim, in words.
    datasets : sequence of dict
        key, title, task, n_rows, n_variables, n_classes, served ("" for an absent set), reason,
        facts (name, value), classes (name, n), variables, used (words).
    papers : sequence of dict
        id, title, authors, year, doi, place.
    sources : mapping of str
        Text of each file that has a page, by its path in the project.
    tables : mapping of dict
        Of `comparison` and `misprints`: caption, heads, rows (lists of text); and what else the
        page shows.
    cells : mapping of dict
        What stands behind the cells of each table, by its id
        (`hedgerow_study.reporting.cells.shown`).
    findings : mapping of sequence of Finding
        What came out, by paper.
    spot_checks : sequence of str
        What draws of parts of the tracked results tell.
    checkout : mapping
        Where the run was made by a changed checkout, or outside of git: `said`, a sentence, and
        `files`, the first that differ. It stands above every page.
    local_data : sequence of str
        A sentence for each local version of a data file that was read instead of the registered
        one. They stand above every page.
    """

    configuration: str
    seed: int
    sections: Sequence[Section]
    claims: Sequence[Mapping[str, Any]] = ()
    reasons: Mapping[str, tuple[str, str, int]] = field(default_factory=dict)
    entries: Mapping[str, Entry] = field(default_factory=dict)
    how_to_test: Mapping[str, str] = field(default_factory=dict)
    datasets: Sequence[Mapping[str, Any]] = ()
    papers: Sequence[Mapping[str, Any]] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    cells: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    findings: Mapping[str, Sequence[Finding]] = field(default_factory=dict)
    spot_checks: Sequence[str] = ()
    checkout: Mapping[str, Any] = field(default_factory=dict)
    local_data: Sequence[str] = ()
    extensions: Sequence[str] = ()


# ------------------------------------------------------------------------------------ addresses


def source_page(path: str) -> str:
    """Page of a file of the project.

    >>> source_page("src/hedgerow_study/experiments/soft/tables.py")
    'source/experiments.soft.tables.html'
    >>> source_page("workflow/rules/soft.smk"), source_page("config/claims.yaml")
    ('source/soft.smk.html', 'source/claims.yaml.html')
    """
    if path.startswith("src/hedgerow_study/"):
        name = path.removeprefix("src/hedgerow_study/").removesuffix(".py").replace("/", ".")
    else:
        name = path.rpartition("/")[2]
    return f"source/{name}.html"


def cells_script(table: str) -> str:
    """File that a page loads where somebody asks what a cell of a table rests on."""
    return f"cells/{table}.js"


def paths(
    words: Iterable[str],
    claims: Iterable[str],
    datasets: Iterable[str],
    sources: Iterable[str],
    tables: Iterable[str] = (),
) -> list[str]:
    """Files of the site, below its folder, sorted."""
    files = ["index.html", *MENU, *(f"{word}.html" for word in words)]
    files += [f"claims/{claim}.html" for claim in claims]
    files += [f"data/{key}.html" for key in datasets]
    files += [source_page(path) for path in sources]
    files += [cells_script(table) for table in tables]
    files += [f"assets/{Path(name).name}" for name in (*ASSETS, "search.js")]
    return sorted(files)


# ---------------------------------------------------------------------------------------- pages


def pages(content: Content) -> dict[str, str]:
    """Text of every file of the site.

    Returns: by path below the folder of the site, as `paths` lists them; the same content gives the
        same texts.
    """
    return _Site(content).build()


class _Site:
    """Pages of one content, with what several of them need."""

    def __init__(self, content: Content):
        self.content = content
        self.words = read_yaml(Path(__file__).parents[2] / WORDS)
        self.titles = {s.id: s.title for s in content.sections}
        self.papers = {p["id"]: p for p in content.papers}
        self.anchors = _anchors(content.sections)
        self.names = _names(content.sections)
        self.claims = [self._claim(row) for row in content.claims]
        self.by_claim = {c["claim"]: c for c in self.claims}

    def build(self) -> dict[str, str]:
        content = self.content
        pages = {"index.html": self._index()}
        for section in content.sections:
            pages[f"{section.id}.html"] = self._experiment(section)
        pages["claims.html"] = self._claims()
        for claim in self.claims:
            address = f"claims/{claim['claim']}.html"
            pages[address] = self._page(
                "reporting/site/claim.html.j2",
                address,
                f"Claim {claim['claim']}",
                c=claim,
                paper=self.papers.get(claim["paper"]),
            )
        pages["datasets.html"] = self._of_menu(
            "reporting/site/datasets.html.j2", "datasets", rows=self._datasets()
        )
        for dataset in self._datasets():
            address = f"data/{dataset['key']}.html"
            pages[address] = self._page(
                "reporting/site/dataset.html.j2", address, dataset["key"], d=dataset
            )
        given = {"figure": None, "caption": "", "heads": (), "rows": (), "lead": "", "files": ()}
        for name in ("comparison", "misprints"):
            shown = {**given, **content.tables.get(name, {})}
            pages[f"{name}.html"] = self._of_menu(
                "reporting/site/table.html.j2", name, id=name, **shown
            )
        pages["rules.html"] = self._of_menu("reporting/site/rules.html.j2", "rules")
        terms = [(term, anchor_of(term), text) for term, text in self.words["terms"].items()]
        pages["glossary.html"] = self._of_menu(
            "reporting/site/glossary.html.j2", "glossary", terms=terms
        )
        pages["check.html"] = self._of_menu(
            "reporting/site/check.html.j2",
            "check",
            commands=self.words["commands"],
            files=self.words["files"],
            spot_checks=content.spot_checks,
        )
        for path, text in content.sources.items():
            pages[source_page(path)] = self._source(path, text)
        pages = {name: _widened(text) for name, text in pages.items()}
        _check(pages)
        for table, content_of_cells in content.cells.items():
            script = _assigned(f'CELLS["{table}"]', content_of_cells)
            pages[cells_script(table)] = f"window.CELLS = window.CELLS || {{}};\n{script}"
        pages["assets/search.js"] = _assigned("SEARCH", self._index_of_words())
        for name in ASSETS:
            pages[f"assets/{Path(name).name}"] = _packaged(name)
        return dict(sorted(pages.items()))

    def _page(self, template: str, here: str, title: str, **context: Any) -> str:
        """A page of a template; `here` is its address below the folder of the site."""
        return render(
            template,
            **context,
            here=here,
            up="../" * here.count("/"),
            title=title,
            configuration=self.content.configuration,
            seed=self.content.seed,
            experiments=self._menu(paper=True),
            extensions=self._menu(paper=False),
            menu=list(MENU.items()),
            checkout=self.content.checkout,
            local_data=self.content.local_data,
        )

    def _of_menu(self, template: str, name: str, /, **context: Any) -> str:
        """A page that the menu names. Digests of the code find a template by its whole path."""
        here = f"{name}.html"
        return self._page(template, here, MENU[here], **context)

    def _menu(self, paper: bool) -> list[tuple[str, str]]:
        """Pages of the experiments of the papers, or of the extensions."""
        shown = (s for s in self.content.sections if (s.id in self.content.extensions) != paper)
        return [(f"{s.id}.html", s.title) for s in shown]

    # The overview ------------------------------------------------------------------------------

    def _index(self) -> str:
        rows: dict[str, list] = {}
        for claim in self.claims:
            rows.setdefault(claim["experiment"], []).append(claim)
        picture = [
            {
                "word": word,
                "title": self.titles.get(word, word),
                "page": f"{word}.html" if word in self.titles else "",
                "claims": _numbered(claims),
                "own": is_research_question(claims[0]["claim"]),
            }
            for word, claims in rows.items()
        ]
        available = [d for d in self.content.datasets if d["served"]]
        questions = [c for c in self.claims if is_research_question(c["claim"])]
        sentences = paragraphs(self.content.findings, self.claims)
        return self._page(
            "reporting/site/index.html.j2", "index.html", "Overview",
            papers=[self._card(p) for p in self.content.papers],
            findings=[(p, sentences[p["id"]]) for p in self.content.papers if p["id"] in sentences],
            picture=[row for row in picture if not row["own"]],
            extensions_picture=[row for row in picture if row["own"]],
            n_claims=len(self.claims) - len(questions),
            answers=_verdict_counts(questions)[not any(c["page"] for c in questions) :],
            verdicts=list(VERDICTS.items()),
            agreement=agreement(self.claims),
            marks=MARKS,
            read_here="analytic_choices" in self.titles,
            words={c["claim"]: c["word"] for c in self.claims if c["word"]},
            n_there=len(available),
            n_absent=len(self.content.datasets) - len(available),
        )  # fmt: skip

    def _card(self, paper: Mapping[str, Any]) -> dict[str, Any]:
        """What the overview says of a paper: a sentence, and the figure of its first experiment."""
        claims = [c for c in self.claims if c["paper"] == paper["id"]]
        words = [w for w in dict.fromkeys(c["experiment"] for c in claims) if w in self.titles]
        section = next((s for s in self.content.sections if s.id in words[:1]), None)
        figure = None
        if section is not None and section.figure:
            drawn = next(f for f in _drawn(section.markup) if f["id"] == section.figure)
            figure = {**drawn, "page": f"{section.id}.html#{section.figure}"}
        page = f"{section.id}.html" if section is not None else ""
        return {**paper, "page": page, "verdict_counts": _verdict_counts(claims), "figure": figure}

    # Experiments -------------------------------------------------------------------------------

    def _experiment(self, section: Section) -> str:
        here = f"{section.id}.html"
        markup = _linked(section.markup, here, self.anchors)
        markup = re.sub(r"<!--claim ([\w-]+)-->", self._claim_comparison, markup)
        word = section.id
        code = re.compile(rf"src/hedgerow_study/\w+/{word}/")
        files = [path for path in self.content.sources if code.match(path)]
        used = [d["key"] for d in self.content.datasets if word in d["used"]]
        return self._page(
            "reporting/site/experiment.html.j2", here, section.title,
            word=word,
            paper=self._paper_of(word),
            drawn=_drawn(section.markup),
            contents=section.contents,
            summary=Markup(_linked(section.summary, here, self.anchors)),
            markup=Markup(markup),
            modules=[(source_page(path), path.removeprefix("src/")) for path in files],
            datasets=[(f"data/{key}.html", key) for key in used],
        )  # fmt: skip

    def _claim_comparison(self, match: re.Match) -> str:
        claim = self.by_claim.get(match[1])
        return str(_parts().beside(claim)) if claim else ""

    def _paper_of(self, word: str) -> Mapping[str, Any] | None:
        """The paper of an experiment, or of the one that it goes beyond."""
        paper_of = {c["experiment"]: c["paper"] for c in self.claims if c["paper"]}
        paper = paper_of.get(word) or paper_of.get(word.partition("_")[0])
        return self.papers.get(paper)

    # Claims ------------------------------------------------------------------------------------

    def _claim(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row of reports/claims.csv with marks, links and the entry that judges it."""
        word, name = row["experiment"], row["claim"]
        ranks = {verdict: str(i) for i, verdict in enumerate(VERDICTS, 1)}
        module, _, function = str(row["code"]).partition(":")
        path = f"src/{module.replace('.', '/')}.py"
        shown = [i for i in str(row["shown"]).split() if i in self.anchors]
        why, notes, line = self.content.reasons.get(name, ("", "", 0))
        # Of tracked results where there are any, as they hold more analyses.
        over_choices = row["paper_scale_analyses_word"] or row["analyses_word"]
        return {
            **row,
            **{k: verdict_text(name, row[k]) for k in ("verdict", "paper_scale_verdict")},
            "hanging": hanging_on(row, ""),
            "paper_hanging": hanging_on(row, "paper_scale_"),
            "analyses": in_a_sentence(row),
            "paper_analyses": in_a_sentence(row, "paper_scale_"),
            "word": over_choices,
            "word_mark": MARKS.get(over_choices, ""),
            "n_analyses": row["paper_scale_analyses_n"] or row["analyses_n"],
            "why": Markup(why),
            "notes": notes,
            "notes_page": f"../{source_page(notes)}#L{line}" if notes else "",
            **{key: _short(row[key]) for key in ("estimate", "low", "high")},
            "mark": VERDICTS[row["verdict"]],
            "rank": ranks[row["verdict"]],
            "paper_mark": VERDICTS.get(row["paper_scale_verdict"], ""),
            "paper_rank": ranks.get(row["paper_scale_verdict"], "0"),
            "page": f"{word}.html" if word in self.titles else "",
            "experiment_title": self.titles.get(word, word),
            "shown": [(f"{self.anchors[i]}#{i}", self.names[i]) for i in shown],
            "entry": self.content.entries.get(name),
            "how_to_test": self.content.how_to_test.get(name, ""),
            "code_page": (
                f"../{source_page(path)}#{function}" if path in self.content.sources else ""
            ),
        }

    def _claims(self) -> str:
        groups = []
        for paper in [*PAPERS, ""]:
            claims = [c for c in self.claims if c["paper"] == paper]
            if claims:
                title = self.papers.get(paper, {}).get("title", paper) if paper else OURS
                group = {
                    "id": paper or "own",
                    "title": title,
                    "verdict_counts": _verdict_counts(claims),
                    "claims": claims,
                }
                groups.append({**group, "read": any(c["n_analyses"] for c in claims)})
        return self._of_menu("reporting/site/claims.html.j2", "claims", groups=groups)

    # Data sets and sources ---------------------------------------------------------------------

    def _datasets(self) -> list[dict[str, Any]]:
        rows = []
        for dataset in self.content.datasets:
            n = sum(c["n"] for c in dataset["classes"]) or 1
            used = [w for w in self.titles if w in dataset["used"]]
            rows.append(
                {
                    **dataset,
                    "used": [(f"{w}.html", self.titles[w]) for w in used],
                    "classes": [{**c, "share": 100 * c["n"] / n} for c in dataset["classes"]],
                }
            )
        return rows

    def _source(self, path: str, text: str) -> str:
        lines = [{"text": line, "anchors": _defined(path, line)} for line in text.splitlines()]
        seen: set[str] = set()
        for line in lines:
            line["anchors"] = [a for a in line["anchors"] if not (a in seen or seen.add(a))]
        return self._page(
            "reporting/site/source.html.j2", source_page(path), path, path=path, lines=lines
        )

    # Search ------------------------------------------------------------------------------------

    def _index_of_words(self) -> list[dict[str, str]]:
        """What the search finds: title, address, kind and words of each entry."""
        entries = []

        def add(title: str, address: str, kind: str, words: str = "") -> None:
            entries.append({"t": title, "u": address, "k": kind, "x": words})

        for s in self.content.sections:
            add(s.title, f"{s.id}.html", "experiment", s.id)
            for anchor, title in s.contents:
                add(f"{s.title}: {title}", f"{s.id}.html#{anchor}", "part")
        for anchor, address in self.anchors.items():
            if anchor in self.names:
                add(self.names[anchor], f"{address}#{anchor}", "table or figure", anchor)
        for c in self.claims:
            words = f"{c['statement']} {c['verdict']}"
            add(f"{c['claim']}: {c['verdict']}", f"claims/{c['claim']}.html", "claim", words)
        for d in self.content.datasets:
            add(d["key"], f"data/{d['key']}.html", "data set", d["title"])
        for term, text in self.words["terms"].items():
            add(term, f"glossary.html#{anchor_of(term)}", "word", text)
        for address, title in MENU.items():
            add(title, address, "page")
        for path in self.content.sources:
            add(path, source_page(path), "source")
        return entries


def anchor_of(term: str) -> str:
    """Anchor of a word of the glossary.

    >>> anchor_of("Soft search (SS)")
    'soft-search-ss'
    """
    return re.sub(r"\W+", "-", term.lower()).strip("-")


def _parts():
    from hedgerow_study.reporting.html import environment

    return environment().get_template("reporting/site/parts.html.j2").module


def _short(value: float | str) -> str:
    """A number as a reader wants it, to three digits; nothing for an empty text."""
    return "" if value == "" else minus(f"{value:.3g}")


def _packaged(name: str) -> str:
    """Text of a file of the package."""
    return resources.files("hedgerow_study").joinpath(name).read_text(encoding="utf-8")


def _assigned(name: str, value: Any) -> str:
    """A script that holds data: a page that is opened from disk may not read a file."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    closed = text.replace("</", r"<\/")
    return f"window.{name} = {closed};\n"


#: Scales of a verdict: key in a claim, and heading.
SCALES = (("verdict", "This run"), ("paper_scale_verdict", "At the scale of the paper"))


def hanging_on(row: Mapping[str, Any], scale: str) -> str:
    """Which data sets a verdict hangs on, in a sentence.

    >>> hanging_on({"n_datasets": 17, "n_left_out": 17, "hangs_on": ""}, "")
    'The verdict is the same without any one of the 17 data sets.'
    >>> hanging_on({"n_datasets": 3, "n_left_out": 3, "hangs_on": "iris: partly; wine: partly"}, "")
    'Without iris or wine: partly. The same without the other one.'
    """
    left_out, n = (int(row[f"{scale}{name}"] or 0) for name in ("n_left_out", "n_datasets"))
    if n == 1:
        return "It rests on one data set, which cannot be left out."
    if not left_out:  # results at paper scale that are older than the question
        return "It was not judged again without each data set in turn." if n else ""
    n = min(left_out, n)
    by_verdict: dict[str, list[str]] = {}
    for entry in filter(None, str(row[f"{scale}hangs_on"]).split("; ")):
        name, _, verdict = entry.partition(": ")
        by_verdict.setdefault(verdict, []).append(name)
    n_hanging = sum(map(len, by_verdict.values()))
    if not n_hanging:
        return f"The verdict is the same without any one of the {n} data sets."
    texts = []
    for verdict, names in by_verdict.items():
        verdict = verdict_text(row.get("claim", ""), verdict)
        if len(names) == n > 2:
            texts.append(f"Without any one of the {n} data sets: {verdict}.")
        else:
            listed = " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
            texts.append(f"Without {listed}: {verdict}.")
    rest = n - n_hanging
    if rest > 0:
        others = "the other one" if rest == 1 else f"any one of the other {rest}"
        texts.append(f"The same without {others}.")
    return " ".join(texts)


#: Verdicts that say something of a statement.
DECIDED = tuple(verdict for verdict in VERDICTS if verdict not in (TOO_LITTLE, NOT_TESTABLE))


def agreement(claims: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Whether statements of the papers have the same verdict here as at the papers' scale.

    Returns: n (statements that are judged at that scale), same, and others: their rows with
        `reason`, in what the data differ.
    """
    judged = [c for c in claims if c["paper"] and c["paper_scale_verdict"] in DECIDED]
    others = [
        {**c, "reason": _reason(c)} for c in judged if c["verdict"] != c["paper_scale_verdict"]
    ]
    return {"n": len(judged), "same": len(judged) - len(others), "others": others}


def _reason(row: Mapping[str, Any]) -> str:
    here, at_scale = (int(row[f"{scale}n_datasets"] or 0) for scale in ("", "paper_scale_"))
    if row["verdict"] == TOO_LITTLE:
        return str(row["lacking"])
    sets = f"{here} data sets here, {at_scale} there" if here < at_scale else "the same data sets"
    return f"{sets}, other repetitions or iterations"


def _verdict_counts(claims: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How many claims have each verdict, here and at the scale of the paper.

    A missing measurement counts as such, and a verdict that no claim has is left out.

    Returns: of each scale that judges anything: heading, n, and parts: n, words, rank (of the
        style).
    """
    counts = []
    is_ours = claims and is_research_question(claims[0]["claim"])
    marks = (
        {ANSWERS[v]: m for v, m in VERDICTS.items() if v != NOT_TESTABLE} if is_ours else VERDICTS
    )
    for key, heading in SCALES:
        if key != "verdict" and not any(c[key] for c in claims):
            continue
        parts = []
        for rank, verdict in enumerate([*marks, ""], 1):
            n = sum(c[key] == verdict for c in claims)
            if n:
                phrase = verdict or "without a result"
                mark = marks.get(verdict, "")
                parts.append({"n": n, "words": phrase, "rank": rank, "mark": mark})
        counts.append({"heading": heading, "n": len(claims), "parts": parts})
    return counts if claims else []


def _numbered(claims: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Claims of one experiment with what tells them apart in a small place.

    The end of the id, "03" of "T3-03", or all of it where two end alike.
    """
    ends = [c["claim"].rpartition("-")[2] for c in claims]
    return [
        {**c, "number": end if ends.count(end) == 1 else c["claim"]}
        for c, end in zip(claims, ends, strict=True)
    ]


# ------------------------------------------------------------------------------ reading markup

_FIGURE = re.compile(
    r'<figure id="([^"]+)".*?<img src="([^"]+)" alt="[^"]*">.*?<strong>(.*?)</strong>', re.DOTALL
)
_TAGS = re.compile(r"<[^>]*>")
#: Rules of the loop in `tail.smk` are found where the experiment says what they read.
_TAIL = re.compile(r'tails\["(\w+)"\] = Tail\(')
_IN_TAIL = ("statistics", "claims", "tables", "figures", "page")
_DEFINED = {
    ".py": re.compile(r"(?:def|class) (\w+)"),
    ".smk": re.compile(r"rule (\w+):"),
    ".yaml": re.compile(r"(?:  |      )([\w-]+):(?: .*)?$"),
}


def _text(markup: str) -> str:
    return " ".join(escaping.unescape(_TAGS.sub(" ", markup)).split())


def _drawn(markup: str) -> list[dict[str, str]]:
    """Figures of a section, in their order."""
    return [
        {"id": i, "uri": uri, "title": _text(title).rstrip(".")}
        for i, uri, title in _FIGURE.findall(markup)
    ]


def _anchors(sections: Iterable[Section]) -> dict[str, str]:
    """The page of each anchor of the sections."""
    return {a: f"{s.id}.html" for s in sections for a in _ids(s.markup)}


def _names(sections: Iterable[Section]) -> dict[str, str]:
    """What each table and figure is called."""
    names = {}
    for s in sections:
        for figure in _drawn(s.markup):
            names[figure["id"]] = figure["title"]
        for anchor, caption in re.findall(
            r'<table[^>]* id="([^"]+)"[^>]*>\s*<caption>(.*?)</caption>', s.markup, re.DOTALL
        ):
            strong = re.search(r"<strong>(.*?)</strong>", caption, re.DOTALL)
            names[anchor] = _text(strong[1] if strong else caption).rstrip(".")
    return names


def _ids(markup: str) -> list[str]:
    return re.findall(r'<[a-z][^>]*? id="([^"]*)"', markup)


def _linked(markup: str, here: str, anchors: Mapping[str, str]) -> str:
    """Links to anchors of other experiments lead to their pages."""

    def replaced(match: re.Match) -> str:
        page = anchors.get(match[1], here)
        return match[0] if page == here else f'href="{page}#{match[1]}"'

    return re.sub(r'href="#([^"]+)"', replaced, markup)


def _defined(path: str, line: str) -> list[str]:
    """What a line of a source defines, by which it can be found."""
    pattern = _DEFINED.get(Path(path).suffix)  # notes define nothing: their lines are numbered
    if tail := _TAIL.match(line):
        return [f"{tail[1]}_{name}" for name in _IN_TAIL]
    match = pattern.match(line) if pattern else None
    return [match[1]] if match else []


def _widened(page: str) -> str:
    """Tables with their number of columns, for style sheets; wide ones marked."""

    def marked(match: re.Match) -> str:
        heads = re.findall(r"<tr>(.*?)</tr>", match[3].partition("</thead>")[0], re.DOTALL)
        cells = re.findall(r"<t[hd]\b([^>]*)>", heads[-1] if heads else "")
        spans = [re.search(r'colspan="(\d+)"', cell) for cell in cells]
        n = sum(int(s[1]) if s else 1 for s in spans)
        most = WIDE_TEXTS if 'class="plain"' in match[3][:80] else WIDE
        wide = " wide" if n >= most else ""
        return f'{match[1]}{wide}{match[2]}<table style="--cols: {n}"{match[3]}'

    pattern = r'(<div class="scroll)("[^>]*>\s*)<table\b(.*?</table>)'
    return re.sub(pattern, marked, page, flags=re.DOTALL)


def _check(pages: Mapping[str, str]) -> None:
    """Every anchor once, every link to a page or anchor that is there."""
    ids = {}
    for name, text in pages.items():
        anchors = _ids(text)
        ids[name] = set(anchors)
        if len(ids[name]) < len(anchors):
            twice = sorted({i for i in anchors if anchors.count(i) > 1})
            raise ValueError(f"anchors stand twice on {name}: {', '.join(twice)}")
    lost = []
    for name, text in pages.items():
        folder = name.rpartition("/")[0]
        for address in sorted(set(re.findall(r'<a\b[^>]* href="([^"]*)"', text))):
            page, _, anchor = escaping.unescape(address).partition("#")
            if re.match(r"[a-z]+:", page):
                continue
            target = _joined(folder, page) if page else name
            if target.startswith("../"):
                continue  # a file of the reports, not of the site
            if target not in pages or (anchor and anchor not in ids[target]):
                lost.append(f"{name} -> {address}")
    if lost:
        raise ValueError(f"links lead nowhere: {', '.join(lost[:20])}")


def _joined(folder: str, address: str) -> str:
    """An address as seen from the folder of the site.

    >>> _joined("claims", "../soft.html"), _joined("claims", "../../tables/x.csv")
    ('soft.html', '../tables/x.csv')
    """
    parts = folder.split("/") if folder else []
    for part in address.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


__all__ = ["ASSETS", "MENU", "Content", "anchor_of", "pages", "paths", "source_page"]
