"""Each id of config/claims.yaml leads to its file, rule, captions and function, and back."""

import inspect
import re
from pathlib import Path

import pytest
import yaml

from hedgerow.reporting import html
from hedgerow.reporting import soft as reporting

ROOT = Path(__file__).parents[2]
BUILT = yaml.safe_load((ROOT / "config/claims.yaml").read_text())["built"]
RULES = "".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))


def _rule(name):
    """Text of one rule."""
    return re.search(rf"^rule {name}:\n((?:    .*\n|\n)*)", RULES, re.M).group(1)


@pytest.mark.parametrize("name", BUILT)
def test_an_id_leads_to_file_rule_caption_and_function(name, rows, plan):
    kind = name.split("_")[1]
    rule = _rule(html.RULES[kind])
    output = rule[rule.index("output:") :]
    suffix = {"table": "csv", "figure": "svg"}[kind]
    assert re.search(rf"\b{name}=", output)
    assert f'"reports/{kind}s/{name}.{suffix}"' in output
    assert f'"../report/{name}.rst"' in output
    assert (ROOT / "workflow/report" / f"{name}.rst").read_text().strip()
    assert reporting.captions(rows, plan)[name]
    assert inspect.getdoc(getattr(reporting, name)).startswith(kind.capitalize())
    if kind == "table":
        assert (ROOT / "data/published" / f"{name}.csv").is_file()


def test_nothing_is_made_that_is_not_listed(rows, plan):
    functions = [n for n in vars(reporting) if re.match(r"(thesis|eig|e2m|confdtree)_", n)]
    assert sorted(functions) == sorted(BUILT)
    assert sorted(reporting.captions(rows, plan)) == sorted(BUILT)
