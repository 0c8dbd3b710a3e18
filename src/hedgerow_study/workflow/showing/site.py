"""The site of the report: which files it has, and what the workflow hands over to it.

The Snakefile asks for `sources`, `claim_ids` and `files` when it plans; the job of the rule
``report`` calls `content`.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hedgerow.data.versions import LocalVersion, local_versions
from hedgerow.files import read_csv, read_json, read_text, read_yaml
from hedgerow.showing.numbers import count, in_form
from hedgerow_study.experiments import EXTENSIONS, folder_of
from hedgerow_study.reporting import cells, site
from hedgerow_study.reporting.entries import entries_of
from hedgerow_study.reporting.findings import read_findings
from hedgerow_study.reporting.notes import HEADING, note_files, passages, rendered
from hedgerow_study.reporting.spot_checks import FILE as SPOT_CHECKS
from hedgerow_study.reporting.spot_checks import read_draws, sentence
from hedgerow_study.workflow.jobs.digest import STUDY

if TYPE_CHECKING:
    import pandas as pd

    from hedgerow.data import DatasetEntry, Registry

#: Folder of the site.
FOLDER = "reports/html"
#: Modules of an experiment that decide nothing.
LEFT_OUT = ("__init__", "page")
#: What stands above the experiments has code and rules as they have.
AUDIT = "audit"
#: Files with a page whatever runs.
ALWAYS = (
    "config/claims.yaml",
    "config/datasets.yaml",
    "workflow/rules/data.smk",
    "workflow/rules/report.smk",
)
#: What came out, in sentences.
FINDINGS = "config/findings.yaml"
#: Results of the rules above the experiments.
AT_SCALE = "data/reference/comparison/comparison.csv"
COMPARISON, MISPRINTS = "reports/comparison.csv", "reports/tables/misprints.csv"
#: Categories of a variable that are listed.
_LARGEST_CATEGORIES = 30


@functools.cache
def claim_ids(root: Path = Path()) -> list[str]:
    """Ids of all claims: of the papers, then our own.

    They are read line by line: to parse all of config/claims.yaml takes a second, which each plan
    would pay; the job that judges a claim reads the file whole.
    """
    lines = io.StringIO(read_text(root / "data/published/claims.csv"))
    published = [row["claim_id"] for row in csv.DictReader(lines)]
    bound, inside = [], False
    for line in read_text(root / "config/claims.yaml").splitlines():
        if re.match(r" {0,4}\S", line):
            inside = line == "    claims:"
        elif inside and (match := re.match(r" {6}([\w-]+):", line)):
            bound.append(match[1])
    return [*published, *(name for name in bound if name not in set(published))]


def sources(words: Iterable[str], root: Path = Path()) -> dict[str, Path]:
    """Files that have a page: by their path in the project, where they lie.

    Returns: sorted by path.
    """
    files = {path: root / path for path in ALWAYS}
    for word in [*words, AUDIT]:
        rules = f"workflow/rules/{word}.smk"
        files[rules] = root / rules
        for file in (STUDY / folder_of(word)).glob("*.py"):
            if file.stem not in LEFT_OUT:
                files[f"src/{STUDY.name}/{folder_of(word)}/{file.name}"] = file
    for path in note_files(root):
        if HEADING in read_text(root / path):
            files[path] = root / path
    return {path: file for path, file in sorted(files.items()) if file.is_file()}


def text_digest(files: Mapping[str, Path]) -> str:
    """Digest of the texts of some files, comments and all: the pages show them."""
    texts = (f"{path}\0{read_text(file)}" for path, file in files.items())
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def paths_of(files: Any) -> list[str]:
    """Paths of the files of some rules, in their order, as plain text.

    A named list of another rule's outputs makes Snakemake hash the whole list for each of its
    files. Plain text does not.
    """
    if isinstance(files, str):
        return [str(files)]
    inner = files.values() if isinstance(files, Mapping) else files
    return [path for one in inner for path in paths_of(one)]


def cell_files(files: Any) -> list[str]:
    """Those of the files of some rules that tell what the cells of tables rest on."""
    return sorted(path for path in paths_of(files) if path.startswith(f"{cells.FOLDER}/"))


def files(
    words: Iterable[str], datasets: Iterable[str], tables: Iterable[str]
) -> tuple[list[str], list[str]]:
    """Files of the site: in its folder itself, and in those below; `tables` from `cell_files`."""
    words = list(words)
    ids = [Path(file).stem for file in tables]
    paths = site.paths(words, claim_ids(), datasets, sources(words), ids)
    top = [f"{FOLDER}/{path}" for path in paths if "/" not in path]
    return top, [f"{FOLDER}/{path}" for path in paths if "/" in path]


def reference(root: Path = Path()) -> list[str]:
    """Tracked results at the scale of the papers that pages show themselves, if there are any."""
    return [path for path in (SPOT_CHECKS, AT_SCALE) if (root / path).is_file()]


def content(
    sections: Sequence[Any],
    registry: Registry,
    used: Mapping[str, Sequence[str]],
    configuration: str,
    seed: int,
    tables: Iterable[str] = (),
    checkout: Mapping[str, Any] = MappingProxyType({}),
    local_data: Sequence[str] = (),
    root: Path = Path(),
) -> site.Content:
    """What the site shows, from the files of a run."""
    published = read_csv(root / "data/published/claims.csv").fillna("").set_index("claim_id")
    claims = read_csv(root / "reports/claims.csv").fillna("").to_dict("records")
    versions = local_versions(registry.path)
    return site.Content(
        configuration,
        seed,
        sections,
        claims=claims,
        reasons=reasons(root),
        entries=entries_of(read_text(root / "config/claims.yaml")),
        how_to_test=published["how_to_test"].to_dict(),
        datasets=[
            _dataset(
                registry[key],
                versions.get(registry[key].base.key),
                root,
                [word for word, keys in used.items() if key in keys],
            )
            for key in sorted({key for keys in used.values() for key in keys})
        ],
        papers=papers(root / "CITATION.cff"),
        sources={path: read_text(file) for path, file in sources(used, root).items()},
        tables=tables_of(root),
        cells={Path(file).stem: _cells(root, file) for file in tables},
        findings=read_findings(read_yaml(root / FINDINGS)),
        spot_checks=list(map(sentence, read_draws(root))),
        checkout=checkout,
        local_data=local_data,
        extensions=EXTENSIONS,
    )


def reasons(root: Path = Path()) -> dict[str, tuple[str, str, int]]:
    """Why each claim holds or not, as far as the notes tell."""
    return {
        name: (rendered(passage.text[0].upper() + passage.text[1:]), path, passage.line)
        for path, file in sources((), root).items()
        if path.startswith("docs/")
        for name, passage in passages(read_text(file)).items()
    }


def _cells(root: Path, file: str) -> dict[str, Any]:
    """What a page shows behind the cells of a table."""
    table = read_csv(root / f"reports/tables/{Path(file).stem}.csv")
    return cells.shown(read_json(root / file), table)


def papers(path: Path) -> list[dict[str, Any]]:
    """The papers as CITATION.cff names them: those with an abbreviation."""
    listed = []
    for reference in read_yaml(path).get("references", []):
        if "abbreviation" not in reference:
            continue
        names = [a.get("family-names") or a.get("name", "") for a in reference["authors"]]
        place = reference.get("collection-title") or reference.get("journal")
        institution = reference.get("institution", {})
        listed.append(
            {
                "id": reference["abbreviation"],
                "title": reference["title"],
                "authors": ", ".join(names),
                "year": reference["year"],
                "doi": reference.get("doi", ""),
                "place": place or institution.get("name", ""),
            }
        )
    return listed


def _dataset(
    entry: DatasetEntry, local: LocalVersion | None, root: Path, used: list[str]
) -> dict[str, Any]:
    """A data set: what the registry says, what served it, and the local version that was used."""
    served = read_json(root / f"data/raw/{entry.base.key}/source.json")
    is_served = "absent" not in served
    facts = [
        ("Task", entry.task),
        ("Rows", count(entry.n_rows)),
        ("Target", entry.target if entry.time is None else f"{entry.target}, time {entry.time}"),
        ("Licence", entry.licence),
        ("Citation", entry.citation),
        ("DOI", entry.doi),
        ("Home page", entry.homepage),
        ("Made from", entry.parent),
        ("Note", entry.note),
        ("Served by", served.get("from")),
        ("File", served.get("file")),
        ("SHA-256 of the file", served.get("sha256")),
        ("Bytes", count(served.get("bytes")) if is_served else None),
        ("Fingerprint of the tidy table", entry.fingerprint),
    ]
    if local is not None:
        facts += [
            ("Used instead", f"the local version of {local.date}, {local.changes}"),
            ("Reason", local.reason),
            ("SHA-256 of its file", local.sha256),
            ("Fingerprint of its table", local.tables.get(entry.key)),
        ]
    return {
        "key": entry.key,
        "source": entry.base.key,
        "title": entry.title,
        "task": entry.task,
        "n_rows": entry.n_rows,
        "n_variables": entry.n_variables,
        "n_classes": entry.n_classes,
        "served": served["source"] if is_served else "",
        "reason": served.get("absent", ""),
        "facts": [(name, value) for name, value in facts if value not in (None, "")],
        "classes": [
            {"name": name, "n": n}
            for name, n in zip(entry.classes, entry.class_counts, strict=False)
        ],
        "variables": [_variable(name, entry) for name in entry.variables],
        "used": used,
    }


def _variable(name: str, entry: DatasetEntry) -> dict[str, Any]:
    values = entry.profile.get(name, ())
    categories = entry.categories.get(name)
    if categories is not None:
        pairs = [f"{c} ({count(n)})" for c, n in zip(categories, values, strict=False)]
        more = len(pairs) - _LARGEST_CATEGORIES
        text = ", ".join(pairs[:_LARGEST_CATEGORIES]) + (f" and {more} more" if more > 0 else "")
        return {"name": name, "low": "", "mean": "", "high": "", "categories": text}
    low, mean, high = (f"{v:.6g}" for v in values) if len(values) == 3 else ("", "", "")
    return {"name": name, "low": low, "mean": mean, "high": high, "categories": ""}


def tables_of(root: Path) -> dict[str, dict[str, Any]]:
    """What the pages of the comparison and of the misprints show, of what the run made of them."""
    tables = {}
    if (root / COMPARISON).is_file():
        tables["comparison"] = _comparison(root)
    if (root / MISPRINTS).is_file():
        table = read_csv(root / MISPRINTS).fillna("").astype(str).map(in_form)
        tables["misprints"] = {
            "lead": "What is misprinted in the papers or contradicts itself, and how that is seen.",
            "caption": _caption(root, "misprints"),
            "heads": [name.replace("_", " ").capitalize() for name in table.columns],
            "rows": table.to_numpy().tolist(),
            "files": [("CSV", f"../{MISPRINTS.removeprefix('reports/')}")],
        }
    return tables


def _comparison(root: Path) -> dict[str, Any]:
    """A row per printed table: how many of its cells were measured, and how far they are."""
    printed = read_csv(root / COMPARISON)
    reasons = printed["reason"].fillna("")
    columns = ["Measured", "Median difference", "90th percentile", "Turned signs"]
    here, scale, which = _nearness(printed), {}, ""
    lead = [_measured_cells(printed, "in this run")]
    if (root / AT_SCALE).is_file():
        at_scale = read_csv(root / AT_SCALE)
        scale = _nearness(at_scale)
        lead.append(_measured_cells(at_scale, "at the scale of the papers"))
        which = " In each column: this run | at the scale of the papers."
    rows = []
    for name, of_table in printed.groupby("table", sort=True):
        lacking = reasons[of_table.index].value_counts().drop("", errors="ignore")
        why = "; ".join(f"{reason} ({n})" for reason, n in lacking.items())
        both = (
            " | ".join(pair) for pair in zip(here[name], scale.get(name, here[name]), strict=True)
        )
        rows.append([name, count(len(of_table)), *(both if scale else here[name]), why])
    return {
        "lead": " ".join(lead),
        "figure": {
            "uri": "../figures/comparison.svg",
            "title": "All cells, measured against published",
            "alt": "Measured against published values of all cells, a panel per paper.",
            "caption": _caption(root, "comparison"),
        },
        "caption": "By table of the papers. Differences as shares of the largest printed value of "
        "the table; a turned sign: one value is below 0, the other above." + which,
        "heads": ["Table", "Cells", *columns, "Why there is no value in this run"],
        "rows": rows,
        "files": [("CSV", "../comparison.csv"), ("Parquet", "../comparison.parquet")],
    }  # fmt: skip


def _measured_cells(printed: pd.DataFrame, where: str) -> str:
    n = int((printed["reason"].fillna("") == "").sum())
    return f"{count(n)} of {count(len(printed))} printed cells have a measured value {where}."


def _nearness(printed: pd.DataFrame) -> dict[str, list[str]]:
    """By table: cells with a measured value, how far they are (median, 90 %), turned signs."""
    nearness = {}
    for name, of_table in printed.groupby("table", sort=True):
        measured = of_table[of_table["reason"].fillna("") == ""]
        largest = measured["published_value"].abs().max()
        shares = measured["difference"].abs() / largest if largest else measured["difference"]
        some = shares.notna().any()
        nearness[name] = [
            count(len(measured)),
            f"{100 * shares.median():.1f} %" if some else "–",
            f"{100 * shares.quantile(0.9):.1f} %" if some else "–",
            str(int((measured["measured"] * measured["published_value"] < 0).sum())),
        ]
    return nearness


def _caption(root: Path, identifier: str) -> str:
    from hedgerow_study.workflow.jobs.steps import CAPTIONS, read_caption

    return read_caption(root / f"{CAPTIONS}/{identifier}.rst")
