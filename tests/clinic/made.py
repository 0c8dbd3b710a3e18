"""Small made-up tables of patients, as CSV in many dialects."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from hedgerow.cli import parse
from hedgerow.showing.figures import save
from hedgerow_clinic.problems import TableError
from hedgerow_clinic.survival_command import cohort_of


def patients(n=240, seed=0, hazard=0.06):
    """Patients whose age and marker tell their hazard; times in years, a third treated."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "patient": [f"P{k:04d}" for k in range(n)],
            "age": random.integers(40, 90, n),
            "marker": np.round(random.normal(2.0, 0.7, n), 2),
            "sex": random.choice(["female", "male"], n),
        }
    )
    hazard = hazard * np.exp(0.04 * (table["age"] - 65) + 1.4 * (table["marker"] > 2))
    death, end = random.exponential(1.0 / hazard), random.uniform(1.0, 12.0, n)
    table["years"] = np.round(np.minimum(death, end), 3)
    table["status"] = np.where(death <= end, "dead", "alive")
    wanted = np.round(random.uniform(0.02, 0.9, n), 3)
    treated = (random.random(n) < 0.35) & (wanted < table["years"])
    table["surgery"] = np.where(treated, wanted, np.nan)
    return table


def written(path, table, **how):
    """A CSV file of it."""
    table.to_csv(path, index=False, **how)
    return path


def read(path, *options):
    """The cohort that a command line describes."""
    return cohort_of(parse(["survival", str(path), *options]))[0]


def asked(path, *options):
    """What is asked and wrong of a table, a line each."""
    with pytest.raises(TableError) as caught:
        read(path, *options)
    return caught.value.lines


class Edges:
    """Measures each text of the pictures that are drawn, against the edge of its figure."""

    def __init__(self, monkeypatch):
        self.places, draw = {}, Text.draw

        def measured(text, renderer, *more, **named):
            if text.get_visible() and text.get_text().strip():
                box, edge = text.get_window_extent(renderer), text.get_figure().figure.bbox
                room = min(box.x0, box.y0, edge.width - box.x1, edge.height - box.y1)
                self.places[text] = (text.get_text(), room)  # layouts draw too: the last counts
            draw(text, renderer, *more, **named)

        monkeypatch.setattr(Text, "draw", measured)

    def assert_inside(self, picture, path):
        """No text of a picture reaches over its edge, as saved."""
        self.places.clear()
        save(picture(), path)
        assert len(self.places) > 10, path.name
        assert [place for place in self.places.values() if place[1] < 0.0] == [], path.name


def assert_no_scrolling(page, folder, width):
    """Chromium shows a page as wide as its window: a script writes the difference into a title."""
    ask = "const d = document.documentElement; document.title = d.scrollWidth - d.clientWidth"
    shutil.copytree(page / "figures", folder / "figures")
    text = re.sub(r"<meta http-equiv[^>]*>", "", (page / "index.html").read_text())
    (folder / "index.html").write_text(text.replace("</body>", f"<script>{ask}</script></body>"))
    chromium = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    chromium += ["--disable-background-networking", f"--user-data-dir={folder / 'profile'}"]
    shown = [f"--window-size={width},900", f"file://{folder}/index.html"]
    done = subprocess.run([*chromium, *shown], capture_output=True, text=True, timeout=60)
    assert "<title>0</title>" in done.stdout


#: For tests by `assert_no_scrolling`.
in_chromium = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
