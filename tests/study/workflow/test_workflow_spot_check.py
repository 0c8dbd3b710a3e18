"""Parts drawn from tracked results, made again for real in a copy of a project, and compared."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from throwaway import new_project

from hedgerow import cli
from hedgerow.errors import DataError, InputError
from hedgerow.files import read_json, read_parquet, write_json, write_parquet
from hedgerow_study.audit import spot_check as checking
from hedgerow_study.audit.spot_check import all_parts, spot_check
from hedgerow_study.reporting.manifest import checksum
from hedgerow_study.reporting.spot_checks import FILE
from hedgerow_study.workflow.jobs.parts import SUFFIX, packed, unpacked
from hedgerow_study.workflow.references.paper_scale import drawn

pytestmark = pytest.mark.runs

BRIEF = """
configuration: brief
experiments: [soft_sweep]
soft:
  datasets: [bupa, haberman]
  n_repeats: 2
  n_folds: 2
  uncertainties: [0.2]
  chunk: 1
soft_sweep:
  datasets: [bupa, haberman]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A project with the reference of an experiment of two parts."""
    project = new_project(tmp_path_factory.mktemp("drawn") / "project")
    (project.path / "config/brief.yaml").write_text(BRIEF)
    options = ("--all", "--configuration", "brief")
    done = project.python("-m", "hedgerow.cli", "reference", "soft_sweep", *options)
    assert done.returncode == 0, done.stderr
    return project.path


@pytest.fixture
def folder(made, monkeypatch):
    """Its data/reference, in the reader's own checkout; what a test spoils or draws is as it was
    afterwards."""
    monkeypatch.setattr(checking, "local_checkout", lambda: made)
    reference = made / "data/reference"
    shutil.copytree(reference, made / "before")
    yield reference
    for path in (reference, made / "data/rerun"):
        shutil.rmtree(path, ignore_errors=True)
    (made / "before").rename(reference)


def spoil(folder, name):
    """A value of a part differs in its last bit, and its manifests say so."""
    parts = folder / "soft_sweep/parts"
    manifest = read_json(parts / f"{name}.json")
    content = unpacked(parts / f"{name}{SUFFIX}", manifest["files"])
    (path,) = (path for path in content if path.startswith("data/results/"))
    file = folder / path
    file.parent.mkdir(parents=True)
    file.write_bytes(content[path])
    rows = read_parquet(file)
    rows.loc[1, "value"] = np.nextafter(rows.loc[1, "value"], np.inf)
    write_parquet(file, rows)
    manifest["files"][path] = checksum(file)
    (parts / f"{name}{SUFFIX}").write_bytes(packed(folder, [path]))
    manifest["archive"] = checksum(parts / f"{name}{SUFFIX}")
    write_json(parts / f"{name}.json", manifest)
    shutil.rmtree(folder / "data")


def test_parts_are_made_again_and_one_with_another_value_is_found(folder):
    lines = []
    found = spot_check(folder, 2, "words", say=lines.append)
    (check,) = found.checks
    assert check.holds
    assert check.messages == [
        '2 of 2 parts, drawn by "words", are equal; with 95 % confidence at most 0 of the 2 differ.'
    ]
    assert "0 are known, 2 are made again, about" in lines[0]
    (draw,) = read_json(folder.parents[1] / FILE)["draws"]
    assert draw["parts"] == {"soft_sweep/bupa": "equal", "soft_sweep/haberman": "equal"}
    # Another value in the part that was equal: it is no longer the part that was compared.
    spoil(folder, "haberman")
    found = spot_check(folder, 5, "words", say=lines.append)
    (check,) = found.checks
    assert "1 are known, 1 are made again" in lines[1]
    assert check.holds is False and not found.holds
    assert check.messages[0].startswith('1 of 2 parts, drawn by "words", is equal, 1 differs; with')
    assert check.messages[1] == "soft_sweep/haberman: data/results/soft_sweep/haberman.parquet."


@pytest.fixture
def quick(monkeypatch):
    """What is asked to be made again, in the place of making it."""
    asked = []

    def again(root, place, file, manifest, cores):
        asked.append(file.stem)
        if len(asked) == again.stops_at:
            raise KeyboardInterrupt
        return {"verdict": again.verdict, "why": ""}

    again.stops_at, again.verdict = None, "equal"
    monkeypatch.setattr(checking, "_rerun_part", again)
    again.asked = asked
    return again


def test_a_larger_draw_holds_the_smaller_one_and_a_stopped_one_goes_on(folder, quick):
    first = drawn(all_parts(folder), 1, "a")[0].rpartition("/")[2]
    spot_check(folder, 1, "a")
    spot_check(folder, 2, "a")
    assert quick.asked[0] == first and sorted(quick.asked) == ["bupa", "haberman"]
    spot_check(folder, 2, "a")
    assert len(quick.asked) == 2
    quick.stops_at = 4
    with pytest.raises(KeyboardInterrupt):
        spot_check(folder, 2, "b")
    spot_check(folder, 2, "b")
    assert len(quick.asked) == 5  # the one that was finished is not made again
    draws = read_json(folder.parents[1] / FILE)["draws"]
    assert [draw["seed"] for draw in draws] == ["a", "b"]
    assert (
        cli.main(["verify", str(folder), "--no-cheap"]) == 0
    )  # the record of draws is no foreign file


def test_what_could_not_be_made_is_tried_again(folder, quick):
    quick.verdict = "not made"
    found = spot_check(folder, 1, "a")
    assert "1 could not be made again" in found.checks[0].messages[0] and not found.holds
    quick.verdict = "equal"
    assert spot_check(folder, 1, "a").holds


def test_a_draw_in_one_experiment_is_no_draw_of_all(folder, quick):
    spot_check(folder / "soft_sweep", 1, "a")
    assert not (folder.parents[1] / FILE).exists()


def test_what_cannot_be_drawn(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(checking, "local_checkout", lambda: None)
    with pytest.raises(InputError, match="installed without the checkout that recomputes results"):
        spot_check(folder, 1, "a")
    monkeypatch.undo()
    with pytest.raises(DataError, match="lies in no hedgerow project"):
        spot_check(tmp_path, 1, "a")
    with pytest.raises(InputError, match="--seed is empty"):
        spot_check(folder, 1, "")
    empty = folder / "none"
    empty.mkdir()
    with pytest.raises(DataError, match="holds no parts"):
        spot_check(empty, 1, "a")
    assert cli.main(["verify", str(folder), "--rerun", "soft_sweep"]) == 1
    assert "drawn, not named" in capsys.readouterr().err
    assert cli.main(["verify", str(folder.parents[1]), "--rerun", "1", "--seed", "x"]) == 1
    assert "--seed is 'x'" in capsys.readouterr().err


def test_the_command(folder, quick, capsys):
    arguments = ["verify", str(folder), "--no-cheap", "--rerun", "1", "--seed", "any words"]
    assert cli.main([*arguments, "--json", str(folder.parents[1] / "found.json")]) == 0
    assert '1 of 2 parts, drawn by "any words"' in capsys.readouterr().out.replace("\n", " ")
    found = json.loads((folder.parents[1] / "found.json").read_text())
    assert "parts made again" in {check["name"] for check in found["checks"]}
