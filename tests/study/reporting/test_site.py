"""The site: its pages, links, and what stands beside the sections."""

import re

import pytest
from shown import ROOT, claim_row, content_of, page_of

from hedgerow.files import read_csv, read_text, read_yaml
from hedgerow_study.reporting import html, site
from hedgerow_study.reporting.claim_specification import VERDICTS, specified
from hedgerow_study.reporting.entries import Entry, entries_of
from hedgerow_study.reporting.findings import read_findings
from hedgerow_study.workflow.jobs.steps import CAPTIONS
from hedgerow_study.workflow.showing.site import AT_SCALE, COMPARISON, claim_ids, tables_of


def one(word="soft_sweep", **more):
    given = {"title": "A sweep", "markup": f'<p id="{word}-a">1 &lt; 2</p>'}
    return html.Section(word, **{**given, **more})


def test_what_is_planned_is_what_is_made():
    """The rule lists its outputs before there is any content."""
    dataset = {
        "key": "wine", "title": "Wine", "source": "wine", "task": "classification",
        "n_rows": 3, "n_variables": 1, "n_classes": 2, "served": "mirror", "reason": "",
        "facts": [("Licence", "CC BY")], "used": ["soft"], "variables": [],
        "classes": [{"name": "a", "n": 1}, {"name": "b", "n": 2}],
    }  # fmt: skip
    claims = [claim_row("T3-01")]
    content = content_of([one("soft")], claims=claims, datasets=[dataset])
    made = site.pages(content)
    assert list(made) == site.paths(["soft"], ["T3-01"], ["wine"], content.sources)
    assert made == site.pages(content), "the same content gives the same texts"
    assert "66.7 %" in made["data/wine.html"]
    assert '<a id="soft_learn"></a>' in made["source/soft.smk.html"]


def test_a_claim_leads_to_its_experiment():
    """Pages said that the configuration did not run it: the word for its analyses hid its own."""
    section = one("soft", title="Soft trees", markup='<p id="T3-01">Here.</p>')
    for word in ("", "in some"):
        claim = claim_row("T3-01", experiment="soft", analyses_word=word)
        page = site.pages(content_of([section], claims=[claim]))["claims/T3-01.html"]
        assert 'Experiment: <a href="../soft.html#T3-01">Soft trees</a>' in page
    elsewhere = claim_row("T4-01", experiment="search", analyses_word="in some")
    page = site.pages(content_of([section], claims=[elsewhere]))["claims/T4-01.html"]
    assert "Experiment: search, which this configuration does not run" in page


def test_a_section_keeps_its_markup_and_names_are_escaped():
    contents = (("soft_sweep-a", "A part"),)
    page = page_of(one(title="B & <co>", contents=contents, summary="<p>It held.</p>"))
    assert '<p id="soft_sweep-a">1 &lt; 2</p>' in page, "markup is taken as it is"
    assert "<h1>B &amp; &lt;co&gt;</h1>" in page
    assert "<p>It held.</p>" in page
    assert '<a href="#soft_sweep-a">A part</a>' in page


def test_a_site_without_a_section_says_so():
    """A configuration may leave out every experiment that judges a statement."""
    made = site.pages(content_of([]))
    assert "No experiment of this configuration judges a claim." in made["index.html"]
    assert "Nothing of it is part of this run." in made["misprints.html"]


def test_every_page_says_that_a_changed_checkout_made_it():
    """Bounds could be loosened: the pages of that run looked like those of any other one."""
    plain = site.pages(content_of([one()], claims=[claim_row("T3-01")]))
    told = {
        "said": "Made by a changed checkout: 1 file differs.",
        "files": ["config/<claims>.yaml"],
    }
    made = site.pages(content_of([one()], claims=[claim_row("T3-01")], checkout=told))
    pages = [name for name in made if name.endswith(".html")]
    assert len(pages) > 8
    for name in pages:
        assert "<strong>Made by a changed checkout: 1 file differs.</strong>" in made[name]
        assert "<code>config/&lt;claims&gt;.yaml</code>" in made[name]
        assert 'class="checkout"' not in plain[name]


def test_links_lead_from_one_experiment_to_another():
    """What an experiment says of another one's table finds it on its page."""
    first = one("soft", markup='<p id="soft-a"><a href="#search-a">there</a></p>')
    second = one("search", markup='<p id="search-a"><a href="#search-a">here</a></p>')
    made = site.pages(content_of([first, second]))
    assert '<a href="search.html#search-a">there</a>' in made["soft.html"]
    assert '<a href="#search-a">here</a>' in made["search.html"]


@pytest.mark.parametrize(
    ("section", "culprit"),
    [
        (one(contents=(("nowhere", "Nothing"),)), "soft_sweep.html -> #nowhere"),
        (one(markup='<a href="claims/X-1.html">X</a>'), "soft_sweep.html -> claims/X-1.html"),
        (one(markup='<p id="a"></p><p id="a"></p>'), "stand twice on soft_sweep.html: a"),
    ],
)
def test_a_link_or_anchor_that_is_wrong_is_an_error(section, culprit):
    content = content_of([section], claims=[])
    with pytest.raises(ValueError, match=re.escape(culprit)):
        site.pages(content)


def test_a_claim_has_both_verdicts_and_leads_to_its_numbers():
    table = '<table id="soft_t"><caption><strong>Table 9</strong></caption></table>'
    markup = f'{table}<ol><li id="T3-01"><!--claim T3-01--></li></ol>'
    claim = claim_row(
        "T3-01", paper="thesis", experiment="soft", statement="Noise & harm.", verdict="partly",
        paper_scale_verdict="reproduced", paper_scale_measured="+1", shown="soft_t soft_gone",
        estimate=0.5, low=0.25, high=0.75, interval_of="the mean", rule="soft_claims", n_datasets=3,
    )  # fmt: skip
    paper = {"id": "thesis", "title": "A thesis", "authors": "N", "year": 2019, "doi": "",
             "place": ""}  # fmt: skip
    made = site.pages(
        content_of(
            [one("soft", markup=markup)],
            claims=[claim],
            papers=[paper],
            entries={
                "T3-01": Entry(
                    ((7, "  T3-01: {measures: *gap}  # why"),),
                    (("gap", ((3, "gap: &gap {a: <1}"),)),),
                )
            },
            how_to_test={"T3-01": "by looking"},
        )
    )
    beside = made["soft.html"]
    assert 'At the scale of the paper: <a href="claims/T3-01.html#paper-scale">' in beside
    assert "(differs)" in beside and '<a href="soft.html#soft_t">Table 9</a>' in beside
    assert "soft_gone" not in beside, "a table of another configuration is no link"
    page = made["claims/T3-01.html"]
    for text in (
        "Noise &amp; harm.",
        'claims.yaml.html#L7">7</a>  T3-01: {measures: *gap}  # why\n',
        "<code>*gap</code>",
        'claims.yaml.html#L3">3</a>gap: &amp;gap {a: &lt;1}\n',
        "by looking",
        "over 3 data sets",
    ):
        assert text in page, text
    assert "The mean: 0.5, 95 % CI 0.25 to 0.75." in page
    assert '../soft.html#soft_t">Table 9' in page
    assert seen(made["index.html"], "tally") == [
        ["This run", "◐ 1 partly"],
        ["At the scale of the paper", "● 1 reproduced"],
    ]
    assert made["index.html"].count('class="claim"') == 1


def seen(page, name):
    """What a list of the page says, a line per entry: its term, then its parts."""
    found = re.search(rf'<dl class="{name}">(.*?)</dl>', page, re.DOTALL)[1]
    found = re.sub(r'<span aria-hidden="true">(.*?)</span>', r"\1", found)
    lines = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", found, re.DOTALL)
    return [[term, *re.findall(r">(.*?)</span>", text)] for term, text in lines]


def test_what_was_not_measured_is_not_counted_as_not_reproduced():
    """A paper of which nothing was measured was told to have none reproduced, and 0 in part."""
    own = {"paper": "eig", "experiment": "missing", "statement": "It helps."}
    claims = [claim_row(f"EIG-0{i}", **own) for i in range(1, 9)]
    claims[7]["paper_scale_verdict"] = "not reproduced"
    paper = {"id": "eig", "title": "EIG", "authors": "S", "year": 2020, "doi": "", "place": ""}
    made = site.pages(content_of([], claims=claims, papers=[paper]))
    for page in (made["index.html"], made["claims.html"]):
        assert seen(page, "tally") == [
            ["This run", "– 8 inconclusive"],
            ["At the scale of the paper", "○ 1 not reproduced", "7 without a result"],
        ]
    claims = [claim_row(f"EIG-0{i + 1}", **own, verdict=v) for i, v in enumerate(VERDICTS)]
    made = site.pages(content_of([], claims=claims, papers=[paper]))
    assert seen(made["index.html"], "tally") == [
        ["This run", "● 1 reproduced", "◐ 1 partly", "○ 1 not reproduced",
         "– 1 inconclusive", "× 1 not testable"],
    ]  # fmt: skip


def test_the_overview_says_how_often_verdicts_agree_and_why_not():
    own = {"paper": "eig", "experiment": "missing", "n_datasets": 4}
    there = {"paper_scale_verdict": "partly", "paper_scale_n_datasets": 7}
    claims = [
        claim_row("EIG-01", **own, verdict="partly", **there),
        claim_row("EIG-02", **own, verdict="not reproduced", measured="+1", **there),
        claim_row("EIG-03", **own, verdict="inconclusive", lacking="no data set", **there),
        claim_row("EIG-04", **{**own, "n_datasets": 7}, verdict="reproduced", **there),
        claim_row("EIG-05", **own, verdict="partly"),
        claim_row("EIG-06", **own, verdict="partly", paper_scale_verdict="inconclusive"),
        claim_row("EIG-07", **{**own, "paper": ""}, verdict="reproduced", **there),
    ]
    told = site.agreement(claims)
    assert (told["n"], told["same"]) == (4, 1)
    assert {c["claim"]: c["reason"] for c in told["others"]} == {
        "EIG-02": "4 data sets here, 7 there, other repetitions or iterations",
        "EIG-03": "no data set",
        "EIG-04": "the same data sets, other repetitions or iterations",
    }
    page = site.pages(content_of([], claims=claims))["index.html"]
    assert "Of 4 statements of the papers that are judged at their scale, 1 have the same" in page
    inside = re.search(r'<details [^>]*id="disagreement".*?</details>', page, re.DOTALL)[0]
    assert (
        "Why the other 3 differ<" in inside
        and "7 there, other repetitions or iterations. Here: +1." in inside
    )
    none = site.pages(content_of([], claims=[claim_row("EIG-05", **own)]))["index.html"]
    assert "agreement" not in none


def test_the_overview_begins_with_what_came_out():
    sentence = {"text": "By [{a} leaves] & more.", "numbers": {"T3-01": r"^(?P<a>\d+) l"}}
    paper = {"id": "thesis", "title": "A < B", "authors": "C", "year": 2019, "doi": "", "place": ""}
    row = {"paper": "thesis", "experiment": "soft", "measured": "3 leaves"}
    content = content_of(
        [],
        claims=[claim_row("T3-01", **row, paper_scale_measured="4 leaves")],
        findings=read_findings({"thesis": [sentence]}),
        papers=[paper],
    )
    page = site.pages(content)["index.html"]
    told = page.index('id="findings"')
    assert told < page.index('id="papers"') < page.index('id="claims"')
    assert "<h3>A &lt; B</h3>" in page
    assert (
        'By <b>4 leaves</b> <span class="here">(3 leaves)</span> &amp; more. '
        '<a class="rests" href="claims/T3-01.html">T3-01</a>'
    ) in page
    assert 'id="findings"' not in site.pages(content_of([]))["index.html"]


def test_draws_of_parts_stand_on_the_page_of_checks():
    said = "2 of 9 parts, drawn by &#34;x&#34;, are equal."
    page = site.pages(content_of([], spot_checks=['2 of 9 parts, drawn by "x", are equal.']))
    assert f"<li>{said}</li>" in page["check.html"]
    assert "No draw is on record" in site.pages(content_of([]))["check.html"]


def test_the_overview_says_what_each_mark_is_about():
    """It stood in a tooltip, which neither paper nor a finger shows."""
    own = {"paper": "eig", "experiment": "missing"}
    ids = ("EIG-01", "EIG-02", "E2M-02")
    claims = [claim_row(name, **own, statement=f"{name} helps.") for name in ids]
    page = site.pages(content_of([], claims=claims))["index.html"]
    inside = re.search(r'<details class="statements".*?</details>', page, re.DOTALL)[0]
    assert "What these 3 say" in inside
    for name in ids:
        assert f">{name}</a>" in inside and f"{name} helps." in inside
    numbers = re.findall(r'class="number">(.*?)<', page)
    assert numbers == ["01", "EIG-02", "E2M-02"], "an end that two ids share tells nothing"


def test_an_entry_is_the_lines_of_the_file():
    """It was written anew, without its comments, with every name spelled out."""
    text = read_text(ROOT / "config/claims.yaml")
    lines = text.splitlines()
    found = entries_of(text)
    assert list(found) == list(specified(read_yaml(ROOT / "config/claims.yaml")))
    taken = set()
    for name, entry in found.items():
        numbers = [n for n, _ in entry.lines]
        assert all(lines[n - 1] == line for n, line in entry.lines)
        assert numbers == list(range(numbers[0], numbers[-1] + 1)) and not taken & set(numbers)
        taken |= set(numbers)
        assert any(line.startswith(f"      {name}:") for _, line in entry.lines)
        shown = "\n".join(line for own in (entry.lines, *(n[1] for n in entry.named))
                          for _, line in own)  # fmt: skip
        named = set(re.findall(r"(?<=[ \[])\*(\w+)", shown))
        assert all(f"&{alias} " in f"{shown} " or f"&{alias}\n" in shown for alias in named), name
        assert {alias for alias, _ in entry.named} <= named
    left = [line for n, line in enumerate(lines, 1) if n > min(taken) and n not in taken]
    assert all(not line.startswith(" " * 6) or (line.startswith("      ") and ": [" in line)
               for line in left)  # fmt: skip


def test_tables_know_their_columns():
    head = "<thead><tr><th>a</th>" + "<th>b</th>" * 11 + "</tr></thead>"
    box = '<div class="scroll" tabindex="0">'
    small = (
        f'{box}<table id="s"><thead><tr><td></td><th colspan="2">x</th></tr></thead></table></div>'
    )
    wide = f'{box}\n<table id="w" class="cells">{head}<tbody></tbody></table></div>'
    page = page_of(one(markup=small + wide))
    assert '<div class="scroll" tabindex="0"><table style="--cols: 3" id="s">' in page
    assert '<div class="scroll wide" tabindex="0">\n<table style="--cols: 12" id="w"' in page


@pytest.mark.parametrize(
    ("measured", "published", "text", "turned"),
    [
        ("12.3", "11.22", "+1.1", False),
        ("−0.4", "0.1", "−0.5", True),
        ("+0.40", "−2.06", "+2.46", True),
        ("5 %", "7 %", "−2", False),
        ("0.0", "−0.1", "+0.1", False),
        ("3", "3", "±0", False),
        ("–", "3", "", False),
        (None, "3", "", False),
        ("2", "< 0.001", "", False),
        ("1", "no", "", False),
    ],
)
def test_differences_are_of_what_is_shown(measured, published, text, turned):
    assert html.difference(measured, published) == html.Difference(text, turned)


def test_a_turned_sign_is_marked():
    made = html.published("−0.4", "0.1", "*")
    assert 'class="difference turned" title="the sign has changed"' in made
    assert "⇄ −0.5" in made and "0.1*" in made
    assert "turned" not in html.published("0.4", "0.1")


def test_the_search_finds_claims_tables_data_sets_and_words():
    made = site.pages(content_of([], claims=[claim_row("T3-01", statement="Noise harms.")]))
    found = made["assets/search.js"]
    assert found.startswith("window.SEARCH = [") and "Noise harms." in found
    assert '"glossary.html#gate"' in found and "</" not in found


def test_the_ids_of_claims_are_read_as_the_judge_reads_them():
    """The plan reads them line by line."""
    statements = read_csv(ROOT / "data/published/claims.csv")["claim_id"].tolist()
    bound = specified(read_yaml(ROOT / "config/claims.yaml"))
    own = [name for name in bound if name not in statements]
    assert len(own) > 30 and claim_ids(ROOT) == [*statements, *own]


def test_the_comparison_has_the_scale_of_the_papers_beside_the_run(tmp_path):
    """Two tables, of which one was measured in the run only."""
    printed = "table,published_value,measured,difference,reason\n"
    here = printed + "t1,2,1,-1,\nt1,-4,4,8,\nt2,1,,,not run\n"
    for path, text in (
        (COMPARISON, here),
        (AT_SCALE, printed + "t1,2,2,0,\nt1,-4,-3,1,\nt2,1,1.5,0.5,\n"),
        (f"{CAPTIONS}/comparison.rst", "All.\n"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    shown = tables_of(tmp_path)["comparison"]
    assert shown["lead"] == (
        "2 of 3 printed cells have a measured value in this run. "
        "3 of 3 printed cells have a measured value at the scale of the papers."
    )
    assert shown["rows"] == [
        ["t1", "2", "2 | 2", "112.5 % | 12.5 %", "182.5 % | 22.5 %", "1 | 0", ""],
        ["t2", "1", "0 | 1", "– | 50.0 %", "– | 50.0 %", "0 | 0", "not run (1)"],
    ]
    assert len(shown["heads"]) == len(shown["rows"][0])
    (tmp_path / AT_SCALE).unlink()
    alone = tables_of(tmp_path)["comparison"]
    assert alone["rows"][0][2:6] == ["2", "112.5 %", "182.5 %", "1"]
    assert "|" not in alone["caption"] + alone["lead"]
