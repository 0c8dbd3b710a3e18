"""Files that follow from others: `environment.yml`, the default configuration, the manual's table,
the version in `CITATION.cff`, the page beside the archive of data sets, README's table of verdicts,
what pages tell of the tracked results, and the schema of the rules of claims.

`python -m hedgerow_study.workflow.showing.generated` says which of them are out of date, `--write`
writes them.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.data import load_registry
from hedgerow.files import read_csv, read_yaml, write_text
from hedgerow.schema import describe
from hedgerow_data import pack
from hedgerow_study.reporting.claim_specification import TOO_LITTLE, VERDICTS, rules_schema
from hedgerow_study.reporting.claims import from_reference
from hedgerow_study.workflow.settings.config import config_schema, walk
from hedgerow_study.workflow.showing.result_pages import cited_as, pages, table
from hedgerow_study.workflow.showing.site import papers

SETTINGS = (
    "<!-- settings: made from the plans of the experiments by `make generated` -->",
    "<!-- end of settings -->",
)
END = "<!-- end -->"
COUNTS = ("<!-- counts: make generated -->", END)

ENVIRONMENT = """\
# For users of conda: names and versions of requirements.lock, made from it by `make generated`.
# Python and the compiler come from conda-forge, the libraries through pip. Our packages are
# installed into it afterwards:
#     pip install --no-deps --no-build-isolation -e . \\
#         -e ./src/hedgerow_data -e ./src/hedgerow_study -e ./src/hedgerow_clinic
name: hedgerow
channels:
  - conda-forge
  - nodefaults
dependencies:
  - python=3.11
  - c-compiler
  - make
  - pip
  - setuptools>=77
  - pip:
"""

DEFAULT = """\
# The default configuration, complete: the data sets of the papers, few repetitions. All but two
# cohorts come with the package or with what pip installs. config/README.md explains every setting.
# Made by `make generated` from the plans of the experiments, where each setting is stated: edit it
# there.
"""
WIDTH = 100


def locked(lock: str) -> dict[str, str]:
    """Names and versions of a file of pinned requirements, in its order."""
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", lock, flags=re.MULTILINE))


WORDS = Path(__file__).parents[2] / "reporting/site/words.yaml"
GLOSSARY = """\
# Glossary

Names in the code, messages and pages use these terms. `tests/test_glossary.py` lists words that
are not used, with their replacements. `make generated` writes this page from
`src/hedgerow_study/reporting/site/words.yaml`.

"""
RULES_SCHEMA = "src/hedgerow_study/reporting/claims.schema.json"


def environment(lock: str) -> str:
    """Text of `environment.yml` for a text of `requirements.lock`."""
    lines = (f"      - {name}=={version}\n" for name, version in locked(lock).items())
    return ENVIRONMENT + "".join(lines)


def cited(citation: str, version: str) -> str:
    """Text of `CITATION.cff` with the version of the project."""
    text, lines = re.subn(r"^version: .*$", f"version: {version}", citation, flags=re.MULTILINE)
    if lines != 1:
        raise ValueError(f"{lines} lines of the citation begin with `version:`, not one")
    return text


def default_configuration(schema: Mapping[str, Any]) -> str:
    """Text of `config/default.yaml`: every setting of a schema with its default."""
    lines = []
    for key, setting in schema["properties"].items():
        if "properties" in setting:
            lines += ["", f"{key}:"]
            lines += [_line(k, s["default"], "  ") for k, s in setting["properties"].items()]
        else:
            lines.append(_line(key, setting["default"]))
    return DEFAULT + "\n".join(lines) + "\n"


def settings_table(schema: dict) -> str:
    """The settings of a schema as a Markdown table."""
    rows = []
    for name, setting in walk(schema):
        description = " ".join(setting["description"].split())
        section = "properties" in setting
        takes = "section" if section else describe(setting)
        default = "" if section else f"`{_flow(setting['default'])}`"
        rows.append((f"`{name}`", takes, default, description))
    return table(["setting", "takes", "default", "meaning"], rows)


def glossary(words: Mapping[str, Any]) -> str:
    """Text of `docs/glossary.md`: the terms of the site's glossary as a table."""
    rows = [(term, " ".join(text.split())) for term, text in words["terms"].items()]
    return GLOSSARY + table(["term", "meaning"], rows) + "\n"


def verdicts_text(root: Path) -> str:
    """Verdicts on the claims of each paper at its scale: a Markdown table, and what they mean."""
    published = read_csv(root / "data/published/claims.csv")
    verdicts = {
        claim: verdict
        for file in root.glob("data/reference/*/*_claims.csv")
        for claim, verdict in from_reference(read_csv(file))[["claim", "verdict"]].to_numpy()
    }
    rows = []
    for paper in papers(root / "CITATION.cff"):
        claims = published.loc[published["paper"] == paper["id"], "claim_id"]
        of_paper = [verdicts.get(claim, TOO_LITTLE) for claim in claims]
        counts = [of_paper.count(verdict) for verdict in VERDICTS]
        reason = WHY_NOT_MORE[paper["id"]]
        rows.append((cited_as(paper), len(claims), *counts, reason))
    n, *counts = (sum(row[i] for row in rows) for i in range(1, len(VERDICTS) + 2))
    sentence = (
        "{1} of {0} claims are reproduced: our results show what the paper claims. {2} hold in a "
        "weaker form that was written down beforehand, {3} are not reproduced, {4} inconclusive "
        "and {5} not testable. A claim that is not reproduced need not be false: data sets are "
        "few, and each paper leaves choices open ([reasons for each claim](docs/reproduction.md))."
    ).format(n, *counts)
    heads = ["paper", "claims", *VERDICTS, "main reason for failures"]
    return f"{table(heads, rows, texts=1, last_is_text=True)}\n\n{textwrap.fill(sentence, 118)}"


#: The main reason of each paper's verdicts, by its word in CITATION.cff; docs/reproduction.md has
#: the reason of each claim.
WHY_NOT_MORE = {
    "thesis": "its baselines are more accurate here; its patient registry is private",
    "confdtree": "no base tree brings the printed gains; the paper names J48 without its options",
    "e2m": "the claims are general, and the published tables contain exceptions as well",
    "eig": "most hold for the authors' code, whose split criterion differs from the paper's",
}


def addressed(page: str, address: str | None) -> str:
    """A page whose links to files of the project begin with the address of its repository.

    A package index shows README without the files beside it. The address stands in one place, as
    `Source` of `[project.urls]`; without it links stay relative.
    """
    if address is None:
        return page

    def link(match: re.Match) -> str:
        text, target = match.groups()
        kind = "raw" if text.startswith("!") else "blob"
        return f"{text}({address.rstrip('/')}/{kind}/main/{target})"

    return re.sub(r"(!?\[[^\]]*\])\((?!https?://|#)([^)]+)\)", link, page)


def filled(page: str, marks: tuple[str, str], text: str) -> str:
    """A page with what stands between two marks brought up to date."""
    head, begin, rest = page.partition(marks[0])
    _, end, tail = rest.partition(marks[1])
    if not (begin and end):
        raise ValueError(f"the page has no place for what is made ({' ... '.join(marks)})")
    return f"{head}{begin}\n{text}\n{end}{tail}"


def filled_all(page: str, texts: Mapping[str, str]) -> str:
    """A page with the text of each mark `<!-- NAME: make generated -->` brought up to date."""
    for name, text in texts.items():
        page = filled(page, (f"<!-- {name}: make generated -->", END), text)
    return page


def generated(root: Path | str = ".") -> dict[Path, str]:
    """Path and wanted text of every file that follows from others."""
    root = Path(root)
    manual, readme = root / "config/README.md", root / "README.md"
    citation = root / "CITATION.cff"
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    schema = config_schema()
    texts_of = {readme: readme.read_text(encoding="utf-8")} | {
        root / page: filled_all((root / page).read_text(encoding="utf-8"), texts)
        for page, texts in pages(root).items()
    }
    return texts_of | {
        root / "environment.yml": environment(
            (root / "requirements.lock").read_text(encoding="utf-8")
        ),
        citation: cited(citation.read_text(encoding="utf-8"), project["version"]),
        root / "config/default.yaml": default_configuration(schema),
        manual: filled(manual.read_text(encoding="utf-8"), SETTINGS, settings_table(schema)),
        readme: addressed(
            filled(
                texts_of.get(readme) or readme.read_text(encoding="utf-8"),
                COUNTS,
                verdicts_text(root),
            ),
            project.get("urls", {}).get("Source"),
        ),
        root / "docs/glossary.md": glossary(read_yaml(WORDS)),
        root / RULES_SCHEMA: f"{json.dumps(rules_schema(), indent=2)}\n",
        root / "src/hedgerow_data/README.md": pack.readme(
            load_registry(root / "config/datasets.yaml")
        ),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """List the files that are out of date, or write them."""
    arguments = sys.argv[1:] if arguments is None else arguments
    stale = []
    for path, text in generated().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path)
            if "--write" in arguments:
                write_text(path, text)
    for path in stale:
        print(f"{path}: {'written' if '--write' in arguments else 'out of date'}")
    return 0 if "--write" in arguments or not stale else 1


def _line(key: str, value: object, margin: str = "") -> str:
    """A setting on one line; a list that is too long for it on the lines below."""
    line = f"{margin}{key}: {_flow(value)}"
    if len(line) <= WIDTH:
        return line
    inner = f"{margin}  "
    wrap = textwrap.TextWrapper(WIDTH, inner, f"{inner} ", break_on_hyphens=False)
    listed = wrap.fill(_flow(value))
    return f"{margin}{key}:\n{listed}"


def _flow(value: object) -> str:
    import yaml

    text = yaml.safe_dump(value, default_flow_style=True, width=10_000).strip()
    return text.removesuffix("...").strip()


if __name__ == "__main__":
    sys.exit(main())
