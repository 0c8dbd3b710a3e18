"""The second judge of claims, which imports nothing of ours, against the first."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
import yaml
from effort import draws
from scipy import stats
from test_claim_data_sets import OF_ONE, SPECIFICATION, TESTED, world

from hedgerow.errors import DataError
from hedgerow.evaluation import significance
from hedgerow_study.audit.claims_export import csv_text, frames_of
from hedgerow_study.reporting import check_claims
from hedgerow_study.reporting.check_claims import friedman, page, signs, wilcoxon
from hedgerow_study.reporting.claim_specification import rules_schema, specified
from hedgerow_study.reporting.claims import verdict_of

ROOT = Path(__file__).parents[3]
CHECKER = Path(check_claims.__file__)
SCHEMA = jsonschema.Draft202012Validator(rules_schema())

#: Rules of each kind of measure, with conditions that random rows hit on both sides.
RULES = """
difference:
  measures: {gain: {where: {method: new, noise: [0, 0.5]}, minus: {method: old}}}
  reproduced: [gain.mean > 0 at all, gain.share >= .5 at 1, -1 <= gain.ratio <= 1.2 at all]
  partly: [gain.wins >= 2 at 1, gain.losses <= 3 at all, gain.span < 2 at 1]
wilcoxon:
  fewest: 3
  measures:
    gain: {where: {method: [new, mid]}, by: [method, noise], minus: {method: old},
           test: wilcoxon ALTERNATIVE}
  reproduced:
    - gain.p[method=new, noise=0.5] < .3
    - gain.mean[method=mid] > gain.mean[method=new] at 1
  partly: [gain.p < .4 at 1]
sign:
  measures:
    gain: {where: {method: new, noise: 0}, minus: {method: old}, test: sign ALTERNATIVE}
    size: {where: {method: new, size: "< 5"}, by: [noise]}
  reproduced: [gain.p < .4, size.n >= 2 at 1]
  partly: [gain.p < .7 and gain.mean > -1]
sets:
  measures: {gain: {where: {method: new, noise: 0}, minus: {method: old}, by: [dataset]}}
  reproduced: [gain.mean >= 0 at none]
  partly: [gain.differ >= 1 at all]
lists:
  measures:
    gain: {where: {method: [new, mid], noise: [0, 0.5]}, by: [method], minus: {method: [old, mid]}}
  reproduced: [{any: [gain.mean > 1 at 2, "gain.first[minus_method=old] > 1 at 1"]}]
  partly: [{at least: 2, of: [gain.max > 0 at 1, gain.min < 0 at 1, gain.n >= 6 at 1]}]
mapped:
  measures:
    gain: {where: {method: [new, mid], noise: [0, 0.5]},
           minus: {method: {new: old, mid: new}, noise: {0.5: 0, 0: 0.5}}}
  reproduced: [gain.mean > 0 at 2]
  partly: [gain.second >= 0 at all]
along:
  measures:
    line: {where: {noise: [0, 0.5, 1], method: [old, new]}, along: noise, test: page}
  reproduced: [line.least_step >= -1 at 1, line.p < .3 at 1, line.change > 0 at all]
  partly: [line.spearman >= .5 at 1, line.last > 0 at all, line.mean > -1 at 4]
above:
  measures: {best: {where: {method: new, noise: [0, 0.5]}, above: {method: [old, mid]}}}
  reproduced: [best.mean > 0 at all]
  partly: [best.mean > -.5 at 1]
among:
  fewest: 2
  measures:
    all: {where: {method: [old, mid, new], noise: [0, 0.5]}, among: method, test: friedman}
  reproduced: [all.p < .3 at all]
  partly: [all.n >= 3 at 1, all.p <= .7 at 1]
ratio:
  measures:
    new: {where: {method: new, noise: 0}}
    old: {where: {method: old, noise: 0}}
    many: {ratio: ["new.mean", "old.mean"]}
  reproduced: [many.value > 1.5]
  partly: [many.value > .5]
read:
  of: tests
  fewest: {data sets: 2, "cells with a gain": tests.wins >= 1}
  measures:
    tests: {where: {noise: [0, 0.5]}, read: {mean: value, p: p, n: n, wins: wins},
            test: wilcoxon two-sided}
    least: {where: {noise: 0}, read: {p: p, n: n, least: least}}
  reproduced: [tests.p < .3 at all, tests.mean > 0 at 1]
  partly: [tests.mean > -1 at all, least.p < .1]
gone:
  measures: {gain: {of: nothing, where: {method: [new]}, minus: {method: old}}}
  reproduced: [gain.n >= 0 at all]
"""


def rules(alternative="two-sided", of="word"):
    """The rules above as a file of rules; the claims of each seed have an experiment."""
    sections = {}
    for name, rule in yaml.safe_load(RULES.replace("ALTERNATIVE", alternative)).items():
        frame = rule.pop("of", "rows")
        for measure in rule["measures"].values():
            if not {"of", "ratio", "between"} & set(measure):
                measure["of"] = frame
        sections[f"{name}_{of}"] = {"measured": "no text", **rule}
    return {of: {"claims": sections}}


def frames(seed):
    """Small frames with ties, missing values and rows that are not there."""
    rng = np.random.default_rng(seed)
    n_sets, step = int(rng.integers(1, 9)), rng.choice([0.1, 0.5, 1.0])
    rows = [
        (f"set {i}", method, noise, float(i), step * rng.integers(-4, 5) + shift * rng.integers(2))
        for i in range(n_sets)
        for method, shift in (("old", 0.0), ("mid", 0.5), ("new", 1.0))
        for noise in (0.0, 0.5, 1.0)
    ]
    rows = pd.DataFrame(rows, columns=["dataset", "method", "noise", "size", "value"])
    rows.loc[rng.random(len(rows)) < rng.choice([0, 0.1]), "value"] = np.nan
    rows = rows[rng.random(len(rows)) >= rng.choice([0, 0.1])]
    n = int(rng.integers(0, 9))
    tests = [
        (noise, rng.normal(), rng.choice([0.01, 0.2, 0.9]), n, int(rng.integers(-1, 3)), 0.5**n)
        for noise in (0.0, 0.5)
    ]
    tests = pd.DataFrame(tests, columns=["noise", "value", "p", "n", "wins", "least"])
    tests.loc[rng.random(2) < 0.2, ["value", "p"]] = np.nan
    return {"rows": rows, "tests": tests}


def export(folder, sections, of_word):
    """Write rules and frames as the second judge reads them; give the verdicts of the first."""
    folder.mkdir(parents=True)
    content, verdicts = {"claims": sections}, {}
    (folder / "rules.json").write_text(json.dumps(content))
    for name, claim in specified(content).items():
        verdicts[name], _ = verdict_of(claim, of_word[claim.experiment])
    for word, own in of_word.items():
        (folder / word).mkdir()
        for name, frame in own.items():
            (folder / word / f"{name}.csv").write_text(csv_text(frame), encoding="utf-8")
    statements = pd.DataFrame(verdicts.items(), columns=["claim", "verdict"])
    statements.to_csv(folder / "claims.csv", index=False)
    return verdicts


def check(*arguments):
    """Run the second judge as others do, where nothing of ours can be imported."""
    command = [sys.executable, "-I", "-S", str(CHECKER), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("alternative", significance.ALTERNATIVES)
def test_both_judges_agree_on_random_frames(tmp_path, alternative):
    of_word = {f"seed{i}": frames(i) for i in draws(200, least=40)}
    sections = {k: v for word in of_word for k, v in rules(alternative, word).items()}
    verdicts = export(tmp_path / "export", sections, of_word)
    done = check(tmp_path / "export", tmp_path / "export/claims.csv")
    assert not done.stderr and done.returncode == 0, re.findall(".*differs", done.stdout)
    n = len(verdicts)
    assert done.stdout.endswith(f"{n} claims judged, {n} agree, 0 differ; not checked: none\n")
    hit = {(name.partition("_")[0], verdict) for name, verdict in verdicts.items()}
    assert len(hit) > 3 * len(yaml.safe_load(RULES)), "few verdicts are hit"


def test_both_judges_agree_on_every_claim_of_ours(tmp_path):
    """In made-up worlds; what needs a test that the second one does not know is listed."""
    sections, of_word = {}, {}
    plain = json.loads(json.dumps(SPECIFICATION))
    for section in plain["claims"].values():
        for name in section["claims"].keys() & TESTED.keys() - OF_ONE:
            for n_sets in (2, 7, 18):
                word = f"{re.sub(r'[^A-Za-z0-9]', '', name)}x{n_sets}"
                rule = {k: v for k, v in section["claims"][name].items() if k != "statement"}
                sections[word] = {"of": section.get("of", "rows"), "claims": {f"{word}_": rule}}
                of_word[word] = world(TESTED[name], n_sets, [n_sets, n_sets])
                # Methods that are called `true` are told from truths by others beside them.
                for frame in of_word[word].values():
                    frame.replace({"model": {"true": "told"}}, inplace=True)
    text = json.dumps(sections).replace('"model": "true"', '"model": "told"')
    verdicts = export(tmp_path / "export", json.loads(text), of_word)
    done = check(tmp_path / "export", tmp_path / "export/claims.csv")
    assert done.returncode == 0, re.findall(".*differs", done.stdout)
    left = re.findall("(.*)x.*: not checked, the test `(.*)`", done.stdout)
    assert {(name, test) for name, test in left} <= {("T406", "anova"), ("T413", "fisher less")}
    assert len({*verdicts.values()}) == 4 and len(verdicts) > 200


@pytest.mark.parametrize("seed", draws(60, least=5))
def test_tests_are_those_of_the_first_judge(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 30)), int(rng.integers(3, 6))
    alternative = significance.ALTERNATIVES[seed % 3]
    pairs = rng.integers(-3, 4, (2, n)) * rng.choice([0.1, 1.0])
    asked = significance.wilcoxon(*pairs, ("a", "b"), alternative).p
    assert wilcoxon(*pairs.tolist(), alternative) == pytest.approx(asked, rel=1e-12)
    d = [int(x) for x in np.sign(pairs[0] - pairs[1]) if x]
    if d:
        asked = stats.binomtest(d.count(1), len(d), alternative=alternative).pvalue
        assert signs(d, alternative) == pytest.approx(asked, rel=1e-9)
    blocks = rng.integers(0, 6, (int(rng.integers(2, 9)), k)) / 10
    names = tuple("abcdefghi"[:k])
    asked, (p, least) = significance.page_trend(blocks, names).p, page(blocks.tolist())
    assert p == pytest.approx(asked, rel=1e-9)
    rising = np.tile(np.arange(float(k)), (len(blocks), 1))
    assert least == pytest.approx(significance.page_trend(rising, names).p, rel=1e-9)
    wide = rng.normal(size=(60, 9))
    of_wide = significance.page_trend(wide, tuple("abcdefghi")).p
    assert page(wide.tolist())[0] == pytest.approx(of_wide, rel=1e-9)
    asked = significance.friedman(blocks, names)
    if asked.p_method == significance.EXACT:
        assert friedman(blocks.tolist()) == pytest.approx(asked.p, rel=1e-9)


# ------------------------------------------------------------------------------ what is told


@pytest.fixture
def folder(tmp_path):
    """An export of one seed."""
    export(tmp_path / "export", rules(), {"word": frames(3)})
    return tmp_path / "export"


def changed(folder, change):
    """Change the first claim of the rules."""
    content = json.loads((folder / "rules.json").read_text())
    change(content["claims"]["word"]["claims"]["difference_word"])
    (folder / "rules.json").write_text(json.dumps(content))


def test_a_forged_verdict_is_found(folder):
    statements = folder / "claims.csv"
    text = re.sub("gone_word,.*", "gone_word,reproduced", statements.read_text())
    statements.write_text(text)
    done = check(folder, statements)
    assert done.returncode == 1
    assert re.findall("(.*): .* differs", done.stdout) == ["gone_word"]
    assert re.search(r" 1 differ; not checked: none$", done.stdout.strip())
    statements.write_text(re.sub("gone_word,.*\n", "", text))
    assert check(folder, statements).returncode == 1, "a claim that is left out"
    assert "agree" not in check(folder).stdout and check(folder).returncode == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda rule: rule["measures"]["gain"].update(test="t two-sided"),
            "the test `t two-sided`",
        ),
        (lambda rule: rule["measures"]["gain"].update(weight=1), "a measure with where, minus"),
        (lambda rule: rule.update(bounds=[]), "a claim with measured, measures"),
        (lambda rule: rule.update(reproduced=["gain.mean > 0 at 9"]), "`gain.mean > 0 at 9` on 2"),
        (lambda rule: rule.update(reproduced=["gain.mean"]), "`gain.mean` is no comparison"),
        (lambda rule: rule.update(reproduced=["gain.odd > 0 at all"]), "there is no `gain.odd`"),
        (lambda rule: rule.update(reproduced=["gain.p < .05 at all"]), "there is no `gain.p`"),
        (lambda rule: rule.update(reproduced=["gain.last > 0 at all"]), "there is no `gain.last`"),
        (lambda rule: rule["measures"]["gain"]["where"].pop("method"), "several rows for one"),
        (lambda rule: rule["measures"]["gain"]["where"].update(odd="1"), "KeyError('odd')"),
        (lambda rule: rule.update(measures=3), "'items'"),
        (lambda rule: rule.update(fewest={"words": [[[]]]}), "'partition'"),
    ],
)
def test_what_cannot_be_judged_is_listed_with_the_reason(folder, change, reason):
    def asked(rule):
        rule["reproduced"].append("gain.p < .05 at all")
        change(rule)

    changed(folder, asked if reason.startswith("the test") else change)
    done = check(folder, folder / "claims.csv")
    (line,) = re.findall("difference_word: (.*)", done.stdout)
    assert line.startswith("not checked, ") and reason in line
    assert done.returncode == 0 and done.stdout.endswith("not checked: difference_word\n")


def test_claims_without_rule_or_frame_are_listed(folder):
    (folder / "published.csv").write_text("claim_id,statement\nT9-01,Trees grow\n")
    content = json.loads((folder / "rules.json").read_text())
    content["claims"]["other"] = {"claims": {"X-1": {"measures": {}, "reproduced": []}}}
    content["claims"]["other"]["claims"]["X\x1b2"] = {"not_testable": "no data"}
    (folder / "rules.json").write_text(json.dumps(content))
    done = check(folder)
    assert "T9-01: not checked, it has no rule" in done.stdout
    assert "X-1: not checked, its experiment has no frame" in done.stdout
    assert "X?2: not testable" in done.stdout
    assert done.stdout.endswith("not checked: X-1, T9-01\n")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("rules.json", "{", "rules.json: Expecting"),
        ("rules.json", "[" * 100_000, "rules.json: "),
        ("rules.json", "[]", "list indices"),
        ("rules.json", '{"claims": {"../x": {"claims": {}}}}', "an experiment has another name"),
        ("rules.json", '{"claims": {}}', "no claim can be judged"),
        ("word/rows.csv", "a,b\n1\n", "rows.csv: lines differ in length"),
        ("word/rows.csv", "a,a\n1,2\n", "or a column stands there twice"),
        ("word/rows.csv", '"a', "rows.csv: "),
        ("word/rows.csv", "", "rows.csv: "),
        ("claims.csv", "claim,verdict\na,partly\na,partly\n", "has a claim twice"),
        ("claims.csv", "claim\na\n", "'verdict'"),
    ],
)
def test_a_damaged_export_is_one_sentence(folder, name, text, reason):
    (folder / name).write_text(text)
    done = check(folder, folder / "claims.csv")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("this is no export of claims: ") and reason in done.stderr


def test_other_arguments_are_one_sentence(folder):
    assert "usage: " in check().stderr
    (folder / "word/rows.csv").write_bytes(b"\xff\xfe")
    for done in (check(), check(folder), check(folder / "none"), check(folder, "none.csv")):
        assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_it_is_one_short_file_of_the_standard_library():
    text = CHECKER.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module.partition(".")[0] in sys.stdlib_module_names
        elif isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= sys.stdlib_module_names
        elif isinstance(node, ast.Name):
            assert node.id not in ("eval", "exec", "compile", "__import__")


# -------------------------------------------------------------------------------- the export


def test_a_frame_is_read_back_as_it_was(tmp_path):
    values = [0.1 + 0.2, -1e-300, 1e22, np.nan, np.inf]
    frame = pd.DataFrame(
        {
            "value": values,
            "n": [1, 2, 3, 4, 5],
            "failed": pd.Series([True, False, None, True, True], dtype=object),
            "name": ["", "a,b", 'say "no"', "two\nlines", None],
        }
    )
    (tmp_path / "f.csv").write_text(csv_text(frame))
    columns, rows = check_claims.frame_of(tmp_path / "f.csv")
    assert columns == list(frame)
    asked = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert rows == asked
    for name in ("NA", "3", "true"):
        with pytest.raises(DataError, match="the column `name` of a frame cannot be read back"):
            csv_text(pd.DataFrame({"name": [name]}))


def test_frames_are_those_of_the_first_judgement():
    from hedgerow_study.experiments.soft_sweep.claims import of_ranges
    from hedgerow_study.reporting import claims

    columns = ["dataset", "noise", "range", "method", "status", "leaves_diff", "accuracy_diff"]
    ranges = pd.DataFrame(columns=[*columns, "accuracy_kept"])
    judge = claims.judge
    arguments = {"ranges": ranges, "specification": SPECIFICATION, "published": None}
    found = frames_of(of_ranges, arguments)
    assert list(found) == ["ranges"] and claims.judge is judge
    with pytest.raises(LookupError, match="judges nothing"):
        frames_of(rules, {})


# -------------------------------------------------------------------------------- the schema


def test_rules_fit_their_schema(folder):
    jsonschema.Draft202012Validator.check_schema(SCHEMA.schema)
    SCHEMA.validate(json.loads(json.dumps(SPECIFICATION)))
    SCHEMA.validate(json.loads((folder / "rules.json").read_text()))


@pytest.mark.parametrize(
    "change",
    [
        lambda rule: rule.update(bounds=[]),
        lambda rule: rule.update(reproduced=[]),
        lambda rule: rule.update(reproduced=["gain.mean"]),
        lambda rule: rule.update(reproduced=["gain.mean > 0 at most 3"]),
        lambda rule: rule.update(partly=[{"any": []}]),
        lambda rule: rule.update(fewest=0),
        lambda rule: rule["measures"]["gain"].update(test="page"),
        lambda rule: rule["measures"]["gain"].update(weight=1),
        lambda rule: rule["measures"]["gain"].update(where=["method"]),
    ],
)
def test_other_rules_do_not_fit_the_schema(folder, change):
    changed(folder, change)
    assert not SCHEMA.is_valid(json.loads((folder / "rules.json").read_text()))


# ------------------------------------------------------------------------------ the reference


def test_the_example_of_the_page_runs(tmp_path):
    """Of somebody else's project: three rules, ten rows."""
    text = (ROOT / "docs/claims.md").read_text(encoding="utf-8")
    example = text[text.index("## An example") :]
    content, rows, said = re.findall(r"```(?:json|text)?\n(.*?)```", example, flags=re.DOTALL)[:3]
    (tmp_path / "yields").mkdir()
    (tmp_path / "rules.json").write_text(content)
    (tmp_path / "yields/rows.csv").write_text(rows)
    done = check(tmp_path)
    assert done.returncode == 0 and said.endswith(done.stdout)
    assert len(rows.splitlines()) == 11 and SCHEMA.is_valid(json.loads(content))
