"""A table of edits: for each the exact rules that run, by the plan, by `hedgerow status`, in fact.

Too little is a result that is out of date and says nothing of it; too much is hours at the scale of
the papers. The edits follow each other in one project in which everything has run.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from throwaway import ROOT, Project, copied_package, new_project

from hedgerow._stamp import core_digest
from hedgerow.data import load_registry
from hedgerow.data.tidy import tidy_bytes
from hedgerow.data.versions import adopt, local_notes, restore
from hedgerow_study.audit import status as status_module
from hedgerow_study.audit.trace import trace
from hedgerow_study.audit.verify import verify
from hedgerow_study.workflow.planning import graph

pytestmark = [pytest.mark.runs, pytest.mark.usefixtures("packages_unread")]

SETTINGS = """
experiments: [evidential, soft_illustration]
mirror: {mirror}
evidential: {{datasets: [haberman, ecoli, ecoli3], n_repeats: {n}, chunk: 1, min_gain: {gain}}}
soft_illustration: {{uncertainty: {uncertainty}}}
seed: {seed}
"""
FIRST = {"n": 2, "gain": 0.05, "uncertainty": 0.1, "seed": 1}
FILES = ("--configfile", "config/smoke.yaml", "more.yaml")
RAW = "data/raw/haberman/haberman.data"
CODE = "hedgerow_study/experiments/evidential"
STEPS = f"{CODE}/steps.py"

#: The run's last files, which name every file that was read or made.
LISTS = {"crate", "manifest"}
#: What shows anything at all.
SITE = {"report", *LISTS}
#: What is told of the claims of all experiments.
CLAIMS = {"claims", "comparison", "comparison_figure", *SITE}
#: What shows rows of E2M.
SHOWN = {"evidential_tables", "evidential_figures", "evidential_claims", "evidential_page", *CLAIMS}
#: What reads what E2M has learnt.
RESULTS = {"evidential_statistics", *SHOWN}
#: One data set of it, from its file on.
DATA = {"tidy", "evidential_learn", *RESULTS}


class Edited:
    """The project, with a copy of the package that its runs import."""

    def __init__(self, folder: Path):
        self.project = new_project(folder / "project")
        self.path = self.project.path
        self.mirror = folder / "mirror"
        (self.mirror / "haberman").mkdir(parents=True)
        (self.path / "requirements.lock").write_text("numpy==2\n")
        self.package = folder / "package"
        self.environment = copied_package(self.package)
        self.settings(**FIRST)
        self.ran()
        self.registry = load_registry(self.path / "config/datasets.yaml")

    def settings(self, **changes) -> None:
        text = SETTINGS.format(**{**FIRST, **changes}, mirror=self.mirror)
        self.project.settings(text)

    def file(self, name: str) -> Path:
        """A file of the project, or of a package behind `hedgerow/` or `hedgerow_study/`."""
        return (
            self.package / name
            if name.startswith(("hedgerow/", "hedgerow_study/"))
            else self.path / name
        )

    def replace(self, name: str, old: str, new: str) -> None:
        """Replace the first such text in a file; its time is a new one."""
        path = self.file(name)
        text = path.read_text("utf-8")
        assert old in text, f"{name} has changed: {old}"
        path.write_text(text.replace(old, new, 1), "utf-8")

    def planned(self) -> set[str]:
        """Rules of the jobs that Snakemake plans."""
        return set(self.project.planned(*FILES, **self.environment))

    def status(self, monkeypatch) -> set[str]:
        """Rules of the jobs that `hedgerow status` names."""

        def asked(request, root):
            return Project(Path(root)).forked("graph", request, **self.environment)

        monkeypatch.setattr(graph, "_asked", asked)
        files = [self.path / name for name in FILES[1:]]
        found = status_module.status(self.path, files, trust=True)
        return {job.partition(":")[0] for one in found.stale for job in one.jobs}

    def ran(self) -> set[str]:
        """Rules of the jobs that a run has run."""
        done = self.project.forked("--cores", "2", *FILES, **self.environment)
        assert done.returncode == 0, done.stderr
        return set(re.findall(r"\(Rule: (\w+)\)", done.stdout + done.stderr)) - {"default"}


@pytest.fixture(scope="module")
def edited(tmp_path_factory, smoke_data) -> Edited:
    """The project; each edit is run, so that the next one begins with nothing to do."""
    return Edited(tmp_path_factory.mktemp("edited"))


@pytest.fixture(scope="module")
def unedited(tmp_path_factory, smoke_data) -> Edited:
    """The project again, in which nothing but one data file is edited."""
    return Edited(tmp_path_factory.mktemp("unedited"))


@pytest.fixture
def registered(unedited) -> Edited:
    """That project, run with the registered data, whatever test was before."""
    go_back(unedited, "haberman")
    unedited.ran()
    return unedited


def older(path: Path, content: str) -> None:
    """Other content with a time of last year, as a copied file has it."""
    path.write_text(content)
    os.utime(path, (1.6e9, 1.6e9))


def rows(edited: Edited) -> list[str]:
    return (edited.path / RAW).read_text().splitlines(keepends=True)


def adopt_edited(edited: Edited, name: str, text: str | None = None) -> None:
    """Edit a data file and adopt it."""
    path = edited.path / f"data/raw/{name}/{name}.data"
    if text is not None:
        path.write_text(text)
    adopt(edited.registry, name, mirror=edited.mirror, root=edited.path / "data/raw")


def go_back(edited: Edited, name: str) -> None:
    restore(edited.registry, name, mirror=edited.mirror, root=edited.path / "data/raw")


def replace_older(edited: Edited, name: str, old: str, new: str) -> None:
    path = edited.path / name
    before = path.stat()
    edited.replace(name, old, new)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def touch(edited: Edited, pattern: str) -> None:
    for path in edited.path.glob(pattern):
        os.utime(path)


def copy_folder(edited: Edited) -> None:
    """`cp -r`: every file has a time of now, in no order."""
    other = edited.path.with_name("copy")
    shutil.copytree(edited.path, other, copy_function=shutil.copyfile)
    shutil.rmtree(edited.path)
    other.rename(edited.path)


def new_registered_version(edited: Edited) -> None:
    """The registry names other bytes and another table, which a mirror has."""
    entry = edited.registry["haberman"]
    data = "".join(["30,64,5,1\n", *rows(edited)[1:]]).encode()
    (edited.mirror / "haberman/haberman.data").write_bytes(data)
    table, _ = tidy_bytes(entry, entry.sources[0].reader, data, "haberman.data")
    registry = edited.path / "config/datasets.yaml"
    shutil.copy(registry, edited.path.with_name("earlier.yaml"))
    content = yaml.safe_load(registry.read_text("utf-8"))
    own = content["datasets"]["haberman"]
    own["fingerprint"], own["sources"] = table.fingerprint, own["sources"][:1]
    own["sources"][0]["sha256"] = hashlib.sha256(data).hexdigest()
    own.pop("archived")
    registry.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")


def earlier_registered_version(edited: Edited) -> None:
    """Registry and data go back at once, so that rule fetch runs and no byte is newer than it.

    Snakemake did not look at the parameters of rule tidy then, and the table stayed the new one.
    """
    shutil.copy(edited.path.with_name("earlier.yaml"), edited.path / "config/datasets.yaml")
    (edited.mirror / "haberman/haberman.data").unlink()
    go_back(edited, "haberman")


def edit_core(edited: Edited) -> None:
    """A line of a compiled source, with the stamp of a build."""
    path = edited.file("hedgerow/evidential/_mixture.pyx")
    path.write_text(path.read_text("utf-8") + "\ncdef int edited = 1\n", "utf-8")
    digest = core_digest(edited.package / "hedgerow")
    edited.file("hedgerow/_core_digest.py").write_text(f'DIGEST = "{digest}"\n')


PARTS = ("results", "data", "tables", "figures", "page")
ILLUSTRATION = {f"soft_illustration_{part}" for part in PARTS}
LEARNT = {"evidential_learn", *RESULTS}

#: Name, edit, rules that run. They build on each other.
EDITS = [
    (
        "raw cell",
        lambda e: adopt_edited(e, "haberman", "".join(["30,64,2,1\n", *rows(e)[1:]])),
        DATA,
    ),
    (
        "raw file with an older time",
        lambda e: (
            older(e.path / RAW, "".join(["30,64,3,1\n", *rows(e)[1:]])),
            adopt_edited(e, "haberman"),
        ),
        DATA,
    ),
    ("row added", lambda e: adopt_edited(e, "haberman", "".join([*rows(e), "50,60,1,2\n"])), DATA),
    ("row removed", lambda e: adopt_edited(e, "haberman", "".join(rows(e)[:-2])), DATA),
    ("restored", lambda e: go_back(e, "haberman"), DATA),
    ("rows in another order", lambda e: (e.path / RAW).write_text("".join(rows(e)[::-1])), LISTS),
    (
        "other line ends",
        lambda e: (e.path / RAW).write_text("".join(rows(e)), newline="\r\n"),
        LISTS,
    ),
    ("restored bytes", lambda e: go_back(e, "haberman"), LISTS),
    (
        "file of a mirror",
        lambda e: (e.mirror / "haberman/haberman.data").write_text("30,64,2,1\n"),
        set(),
    ),
    (
        "file of two sets",
        lambda e: adopt_edited(
            e,
            "ecoli",
            (e.path / "data/raw/ecoli/ecoli.data").read_text().replace("0.49", "0.48", 1),
        ),
        DATA,
    ),
    ("file of two sets restored", lambda e: go_back(e, "ecoli3"), DATA),
    (
        "title in the registry",
        lambda e: e.replace("config/datasets.yaml", "title: Haberman", "title: The Haberman"),
        SITE,
    ),
    (
        "address in the registry",
        lambda e: e.replace("config/datasets.yaml", "haberman.dat\n", "haberman_.dat\n"),
        {"fetch", *SITE},
    ),
    ("registered version", new_registered_version, {"fetch", *DATA}),
    ("earlier registered version", earlier_registered_version, {"fetch", *DATA}),
    ("setting of one experiment", lambda e: e.settings(gain=0.2), LEARNT),
    (
        "setting of another one",
        lambda e: e.settings(gain=0.2, uncertainty=0.2),
        {*ILLUSTRATION, *SITE},
    ),
    ("seed", lambda e: e.settings(seed=2), {*LEARNT, *ILLUSTRATION}),
    ("repeats up", lambda e: e.settings(seed=2, n=3), LEARNT),
    ("repeats down", lambda e: e.settings(seed=2, n=2), RESULTS),
    (
        "docstring",
        lambda e: e.replace(STEPS, '"""', '"""Edited. '),
        SITE,
    ),
    (
        "comment",
        lambda e: e.replace(STEPS, "import numpy", "# edited\nimport numpy"),
        SITE,
    ),
    (
        "function body",
        lambda e: e.replace(f"{CODE}/statistics.py", "import pandas", "print()\nimport pandas"),
        RESULTS,
    ),
    ("compiled source", edit_core, LEARNT),
    (
        "template",
        lambda e: e.replace(f"{CODE}/page.html.j2", "<p", "<!-- edited --><p"),
        {"evidential_page", *SITE},
    ),
    (
        "caption",
        lambda e: e.replace(f"{CODE}/tables.py", 'caption="', 'caption="Edited. '),
        SHOWN - {"evidential_claims", "claims"},
    ),
    (
        "rule of a claim",
        lambda e: e.replace("config/claims.yaml", "E2M-01:", "E2M-01: # edited"),
        {"evidential_claims", "evidential_page", "claims", *SITE},
    ),
    (
        "published figure",
        lambda e: e.replace("data/published/e2m_table_1.csv", "0.67", "0.66"),
        {*SHOWN, "misprints"} - {"evidential_claims", "claims"},
    ),
    (
        "published figure with its old time",
        lambda e: replace_older(e, "data/published/e2m_table_1.csv", "0.66", "0.67"),
        {*SHOWN, "misprints"} - {"evidential_claims", "claims"},
    ),
    (
        "code of a figure",
        lambda e: e.replace(f"{CODE}/figures.py", "import pandas", "print()\nimport pandas"),
        {"evidential_figures", "evidential_page", *SITE},
    ),
    ("lock file", lambda e: e.replace("requirements.lock", "2", "3"), LISTS),
    (
        "script",
        lambda e: e.replace("workflow/scripts/report.py", "with job", "# edited\nwith job"),
        SITE,
    ),
    ("copy of the folder", copy_folder, set()),
    (
        "touched files of each kind",
        lambda e: [touch(e, kind) for kind in ("data/*/*", "data/raw/*/*", "[cprw]*/*", "*/*/*")],
        set(),
    ),
]


@pytest.mark.parametrize(("edit", "expected"), [pytest.param(e, x, id=n) for n, e, x in EDITS])
def test_exactly_what_depends_on_an_edit_runs(edited, edit, expected, monkeypatch):
    edit(edited)
    planned = edited.planned()
    assert (planned - expected, expected - planned) == (set(), set())
    assert edited.status(monkeypatch) == expected
    assert (edited.ran() if expected else set()) == expected


def test_a_changed_file_asks_before_anything_runs(registered):
    """The run fetched the registered file again; the edit was gone, and so was the old table."""
    before = registered.project.made()
    path = registered.path / RAW
    path.write_text("".join(["30,64,2,1\n", *rows(registered)[1:]]))
    text = path.read_text()
    assert registered.planned() == DATA
    done = registered.project.forked("--cores", "2", *FILES, **registered.environment)
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if "hedgerow data adopt" in line]
    assert line.startswith(f"{RAW} is not the registered version: 1 of 306 rows changed (row 1,")
    assert path.read_text() == text
    go_back(registered, "haberman")
    assert registered.planned() == set(), "nothing was lost"
    assert {p: d for p, d in registered.project.made().items() if "/versions/" not in p} == {
        p: d for p, d in before.items() if "/versions/" not in p
    }


def test_the_page_on_corrected_data_shows_what_happens(registered):
    """Commands and output of docs/corrected_data.md, in a project of fewer experiments."""
    page = (ROOT / "docs/corrected_data.md").read_text("utf-8")
    blocks = re.findall(r"```\n(.*?)```", page, re.DOTALL)
    command = ["sed", "-i", "1s/30,64,1,1/30,64,2,1/", RAW]
    assert shlex.split(blocks[0]) == command
    subprocess.run(command, cwd=registered.path, check=True)
    for block in blocks[1:]:
        typed, _, shown = block.removeprefix("$ ").partition("\n")
        words = shlex.split(typed)
        if words[0] == "snakemake":
            done = registered.project.forked(*words[1:], *FILES, **registered.environment)
            assert done.returncode == 1
            assert shown.strip() in done.stderr.splitlines()
            continue
        done = registered.project.python("-m", "hedgerow.cli", *words[1:])
        assert done.returncode == 0, done.stderr
        assert without_dates(done.stdout) == without_dates(shown)


def without_dates(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d", "DATE", text)


def test_pages_captions_and_manifest_name_a_local_version(registered):
    adopt_edited(registered, "haberman", "".join(["30,64,2,1\n", *rows(registered)[1:]]))
    registered.ran()
    (note,) = local_notes(registered.path / "config/datasets.yaml", ["haberman"])
    assert "haberman: local version of " in note and ", 1 of 306 rows changed" in note
    manifest = json.loads((registered.path / "reports/manifest.json").read_text())
    assert manifest["local_data"]["haberman"]["sentence"] == note
    for page in ("index", "evidential", "soft_illustration", "data/haberman"):
        assert note in (registered.path / f"reports/html/{page}.html").read_text("utf-8"), page
    page = (registered.path / "reports/html/data/haberman.html").read_text("utf-8")
    assert hashlib.sha256((registered.path / RAW).read_bytes()).hexdigest() in page
    caption = (registered.path / "reports/captions/e2m_table_1.rst").read_text("utf-8")
    assert note.split(": ")[1] in caption
    other = (registered.path / "reports/captions/thesis_figure_3_1.rst").read_text("utf-8")
    assert "local version" not in other, "it reads no data set"
    found = verify(registered.path, checkout=registered.path, cheap=False)
    assert found.holds, [check for check in found.checks if check.holds is False]
    (check,) = [check for check in found.checks if check.name == "data files"]
    assert check.messages == [f"{note}."]
    served = trace(registered.path, "e2m_table_1:haberman,cart,unpruned,error_rate").data
    assert (served["path"], served["local"]) == (RAW, note)
