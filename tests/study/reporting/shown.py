"""Captions as the jobs of the workflow would write them, and sections as pages of a site."""

import importlib
import inspect
import re
from pathlib import Path

import pandas as pd

from hedgerow.files import read_text, read_yaml
from hedgerow.showing import figures
from hedgerow_study.experiments import module_of
from hedgerow_study.reporting import site
from hedgerow_study.reporting.claim_specification import TOO_LITTLE
from hedgerow_study.workflow.jobs.steps import having
from hedgerow_study.workflow.showing.site import sources

ROOT = Path(__file__).parents[3]


SPECIFICATION = read_yaml(ROOT / "config/claims.yaml")
STATEMENTS = pd.read_csv(ROOT / "data/published/claims.csv")


def functions_of(word):
    """Id -> each function of an experiment that makes a table or figure."""
    found = {}
    for kind in ("tables", "figures", "claims"):
        try:
            module = importlib.import_module(module_of(f"{word}.{kind}"))
        except ModuleNotFoundError:
            continue
        own = [f for f in vars(module).values() if hasattr(f, "shown")]
        found |= {f.shown.id: f for f in own if f.__module__ == module.__name__}
    return found


def shown_by(word):
    """Id -> what stands at each function of an experiment that makes a table or figure."""
    return {name: function.shown for name, function in functions_of(word).items()}


def captions_of(word, **inputs):
    """Caption of every table and figure of an experiment, from inputs of their jobs."""

    def arguments(function):
        return {name: inputs[name] for name in inspect.signature(function).parameters}

    return {name: shown.caption_text(arguments) for name, shown in shown_by(word).items()}


def made_by(function, **inputs):
    """What a function makes from those inputs of its job that it has parameters for."""
    return function(**{name: inputs[name] for name in inspect.signature(function).parameters})


def tables_of(word, **inputs):
    """Id -> each table of an experiment, from inputs of its jobs."""
    functions = functions_of(word).items()
    return {n: made_by(f, **inputs) for n, f in functions if f.shown.kind == "table"}


def section_of(word, folder, **inputs):
    """The section of an experiment as its jobs make it, through files in a folder.

    `claims` may be given where it is made in another way than from the inputs.
    """
    tables, drawn = {}, {}
    for name, table in tables_of(word, **inputs).items():
        table.to_csv(folder / f"{name}.csv", index=False)
        tables[name] = pd.read_csv(folder / f"{name}.csv")
    inputs = {"tables": tables, **inputs}
    for name, function in functions_of(word).items():
        if function.shown.kind == "figure":
            drawn[name] = folder / f"{name}.svg"
            figures.save(made_by(function, **inputs), drawn[name])
    captions = captions_of(word, **inputs)
    if word in having("claims") and "claims" not in inputs:
        judge = importlib.import_module(module_of(f"{word}.claims")).claims
        inputs["claims"] = made_by(
            judge, **inputs, specification=SPECIFICATION, statements=STATEMENTS
        )
    page = importlib.import_module(module_of(f"{word}.page"))
    return made_by(
        page.section, **{**inputs, "tables": tables, "figures": drawn, "captions": captions}
    )


#: Columns of reports/claims.csv that are texts.
TEXTS = """paper section experiment statement published_value measured estimate low high interval_of
lacking hangs_on n_left_out paper_scale_verdict paper_scale_measured paper_scale_lacking
paper_scale_n_datasets paper_scale_hangs_on paper_scale_n_left_out analyses_word analyses_n
analyses_reproduced analyses_decides paper_scale_analyses_word paper_scale_analyses_n
paper_scale_analyses_reproduced paper_scale_analyses_decides shown rule code"""


def claim_row(name, **more):
    """A row of reports/claims.csv."""
    line = {"claim": name, "verdict": TOO_LITTLE, "n_datasets": 0}
    return {**dict.fromkeys(TEXTS.split(), ""), **line, **more}


def content_of(sections, configuration="made-up", **more):
    """What the site is made of, with a page for each claim and source that the sections name."""
    sections = list(sections)
    named = {name for s in sections for name in re.findall(r'"claims/([^"]+)\.html"', s.markup)}
    files = sources([s.id for s in sections], ROOT)
    given = {
        "claims": [claim_row(name) for name in sorted(named)],
        "sources": {path: read_text(file) for path, file in files.items()},
    }
    return site.Content(configuration, 1, sections, **{**given, **more})


def page_of(section, configuration="made-up"):
    """The page of a section, in a site that holds nothing else."""
    return site.pages(content_of([section], configuration))[f"{section.id}.html"]
