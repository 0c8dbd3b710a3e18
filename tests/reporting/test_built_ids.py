"""Each id of config/claims.yaml leads to its file, rule, captions and function, and back."""

import importlib
import inspect
import re
from pathlib import Path

import pytest
import yaml

from hedgerow.experiments.soft import page as soft_page
from hedgerow.workflow.digest import PACKAGE

ROOT = Path(__file__).parents[2]
CLAIMS = yaml.safe_load((ROOT / "config/claims.yaml").read_text())
BUILT = CLAIMS["built"]
BEYOND = [name for names in CLAIMS["beyond"].values() for name in names]
RULES = "".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
MODULES = {
    (file.parent.name, kind): importlib.import_module(
        f"hedgerow.experiments.{file.parent.name}.{kind}s"
    )
    for kind in ("table", "figure")
    for file in PACKAGE.glob(f"experiments/*/{kind}s.py")
}


def _functions():
    """Id of a published table or figure -> experiment whose module of that kind makes it."""
    found = {}
    for (word, kind), module in MODULES.items():
        for name, function in vars(module).items():
            if re.match(rf"(thesis|eig|e2m|confdtree)_{kind}_", name):
                assert function.__module__ == module.__name__, f"{name} is imported by {word}"
                assert name not in found, f"{name} is made twice"
                found[name] = word
    return found


def _rule(name):
    """Text of one rule."""
    return re.search(rf"^rule {name}:\n((?:    .*\n|\n)*)", RULES, re.M).group(1)


@pytest.mark.parametrize("name", BUILT)
def test_an_id_leads_to_file_rule_caption_and_function(name):
    kind = name.split("_")[1]
    word = _functions()[name]
    rule = _rule(f"{word}_{kind}s")
    output = rule[rule.index("output:") :]
    suffix = {"table": "csv", "figure": "svg"}[kind]
    assert re.search(rf"\b{name}=", output)
    assert f'"reports/{kind}s/{name}.{suffix}"' in output
    assert f'"../report/{name}.rst"' in output
    assert (ROOT / "workflow/report" / f"{name}.rst").read_text().strip()
    assert inspect.getdoc(getattr(MODULES[word, kind], name)).startswith(kind.capitalize())
    if kind == "table":
        assert (ROOT / "data/published" / f"{name}.csv").is_file()


@pytest.mark.parametrize("name", BEYOND)
def test_an_id_beyond_the_papers_leads_to_one_function(name):
    """Tables and figures of our own have functions of their name as well."""
    made = [
        vars(module)[name]
        for module in MODULES.values()
        if name in vars(module) and vars(module)[name].__module__ == module.__name__
    ]
    if name.endswith("_claims"):
        return
    assert len(made) == 1
    assert inspect.getdoc(made[0])


def test_nothing_is_made_that_is_not_listed():
    assert sorted(_functions()) == sorted(BUILT)


def test_experiments_1_and_2_have_a_caption_for_each_id(rows, plan):
    made = [name for name, word in _functions().items() if word == "soft"]
    made.append("soft_combined")
    captions = soft_page.captions(rows, plan)
    assert sorted(captions) == sorted(made)
    assert all(captions.values())
