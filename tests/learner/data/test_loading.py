"""`hedgerow.data.load`: a set by its name, wherever one is."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import hedgerow.data.loading as module
from hedgerow.cli import main
from hedgerow.data import NoSourceError, fingerprint, load, load_registry
from hedgerow.errors import DataError

PROJECT = Path(__file__).parents[3]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder without a project, a mirror or a cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEDGEROW_MIRROR", raising=False)
    monkeypatch.setenv("HEDGEROW_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_a_set_is_what_the_registry_says(elsewhere):
    found = load("wine")
    entry = load_registry(PROJECT / "config/datasets.yaml")["wine"]
    assert found.X.shape == (178, 13) and found.time is None
    assert list(found.X) == list(entry.variables) and found.target == entry.target
    assert list(found.frame) == [*entry.variables, entry.target]
    assert found.entry.fingerprint == entry.fingerprint
    labels, counts = np.unique(found.y, return_counts=True)
    want = dict(zip(entry.classes, entry.class_counts, strict=True))
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == want
    assert (found.frame[found.target].astype(str) == found.y).all()
    assert repr(found).startswith("DataSet('wine': ") and "178 rows, 13 variables" in repr(found)
    assert list(elsewhere.iterdir()) == []  # nothing is kept of what is at hand


def test_a_survival_set_has_its_time(elsewhere):
    found = load("whas500")
    assert found.time.shape == (len(found.y),) and found.entry.time in found.frame
    np.testing.assert_array_equal(found.frame[found.entry.time], found.time)


def test_what_is_downloaded_is_kept_and_checked(elsewhere, monkeypatch):
    """Only what the network gives: once, and again when what was kept is damaged."""
    asked = []

    def fetched(entry, folder, mirror=None, *, kinds=None):
        asked.append(kinds)
        if kinds is not None:
            raise NoSourceError("wine: no source answered")
        return module_fetch(entry, folder, mirror)

    module_fetch = module.fetch
    monkeypatch.setattr(module, "fetch", fetched)
    load("wine")
    kept = elsewhere / "cache/sets/wine"
    assert asked == [module.AT_HAND, None] and kept.is_dir()
    load("wine")
    assert asked == [module.AT_HAND, None, module.AT_HAND]
    (data,) = (path for path in kept.iterdir() if path.suffix != ".json")
    data.write_text("1,2,3\n")
    load("wine")
    assert asked[-1] is None
    with pytest.raises(NoSourceError):
        load("wine", download=False)


def test_a_set_that_is_none(elsewhere):
    with pytest.raises(DataError, match="vine"):
        load("vine")


def test_the_registry_of_a_project_comes_first(elsewhere):
    (elsewhere / "config").mkdir()
    text = (PROJECT / "config/datasets.yaml").read_text()
    (elsewhere / "config/datasets.yaml").write_text(text.replace("title: Wine", "title: Vin", 1))
    assert module.registry_file().parent.name == "config"
    assert load("wine").entry.title != load_registry(PROJECT / "config/datasets.yaml")["wine"].title


def test_an_installed_package_has_a_registry_of_its_own(elsewhere, monkeypatch):
    """As in a wheel, where `config` is not."""
    home = elsewhere / "site/hedgerow/data"
    home.mkdir(parents=True)
    shutil.copy(PROJECT / "config/datasets.yaml", home)
    monkeypatch.setattr(module, "__file__", str(home / "loading.py"))
    assert module.registry_file() == home / "datasets.yaml"
    assert fingerprint(module._table(load_registry(module.registry_file())["iris"], None, False))


def test_the_command_lists_anywhere(elsewhere, capsys):
    assert main(["data", "list", "--task", "survival"]) == 0
    assert "data sets" in capsys.readouterr().out
