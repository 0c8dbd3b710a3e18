"""An edit of the package reruns what depends on it, and nothing else."""

from __future__ import annotations

import pytest
from throwaway import SMOKE, copied_package
from wiring import PAGE

from hedgerow._stamp import COMPILED, core_digest
from hedgerow_study.workflow.jobs.steps import having

pytestmark = pytest.mark.runs


@pytest.fixture(scope="module")
def copy(tmp_path_factory, smoke):
    """A copy of the package that the workflow imports, and the variables that make it do so."""
    folder = tmp_path_factory.mktemp("package")
    environment = copied_package(folder)
    assert smoke.planned(*SMOKE, **environment) == {}, "a copy alone reruns nothing"
    return folder / "hedgerow", environment


ALL_FIGURES, ALL_CLAIMS, ALL_PAGES = (
    {f"{word}_{kind}" for word in having(kind)} for kind in ("figures", "claims", "page")
)


@pytest.mark.parametrize(
    ("file", "old", "new", "rerun", "kept"),
    [
        pytest.param(
            "experiments/soft/plan.py",
            'CELL = ["experiment", "dataset", "repeat", "noise", "method"]',
            'CELL = ["dataset", "experiment", "repeat", "noise", "method"]',
            {"soft_figures", "soft_tables", "soft_statistics", "soft_page"},
            {"soft_noise", "soft_calibrate", "search_run"},
            id="a constant that figures read: once missing from the digest of soft_figures",
        ),
        pytest.param(
            "extensions/noise_models/plan.py",
            'METHODS = ("c45", "ss", "stp", "se")',
            'METHODS = ("c45", "stp", "ss", "se")',
            {"noise_models_tables", "noise_models_figures", "noise_models_page"},
            {"soft_learn", "soft_noise"},
            id="another: once missing from the digest of noise_models_tables",
        ),
        pytest.param(
            "induction/_growth.pyx",
            None,
            "cdef int edited",
            {"soft_learn", "search_run", "structure_learn", "soft_sweep_grow"},
            {"soft_noise", "tidy", "search_properties"},
            id="a compiled source",
        ),
        pytest.param(
            "drawing/layout.py",
            "FONT_SIZE = 8.0",
            "FONT_SIZE = 8.5",
            {"structure_figures"},
            {"structure_learn", "soft_learn", "structure_tables", "diverse_trees_run"},
            id="a drawing reruns no learner",
        ),
        pytest.param(
            "evaluation/significance.py",
            None,
            "print()",
            {"soft_statistics", "search_statistics", "noise_models_statistics"},
            {"soft_learn", "search_run", "soft_evaluate"},
            id="a changed test reruns no learner",
        ),
        pytest.param(
            "showing/figures.py",
            '"font.size": 8.5',
            '"font.size": 9',
            {*ALL_FIGURES, *ALL_PAGES},
            {"soft_tables", "search_tables", "soft_statistics"},
            id="the look of all figures",
        ),
        pytest.param(
            "reporting/measures.py",
            "EXACT = 9",
            "EXACT = 8",
            {*ALL_CLAIMS, "soft_page", "search_page"},
            # A table of EIG tells verdicts, and analyses tell nothing else.
            {
                *(ALL_FIGURES - {"missing_figures", "analytic_choices_figures"}),
                *("soft_learn", "search_run", "soft_tables", "soft_statistics"),
            },
            id="the judge of claims",
        ),
        pytest.param("errors.py", None, "print()", set(), {"report"}, id="the frame"),
    ],
)
def test_an_edit_reruns_what_depends_on_it(smoke, copy, file, old, new, rerun, kept):
    """Planned in a project where everything has run, with an edited copy of the package.

    A compiled source that was edited and not built is refused.
    """
    package, environment = copy
    study = package.with_name("hedgerow_study") / file
    path = study if study.is_file() else package / file
    text = path.read_text()
    edited = f"{text}\n{new}\n" if old is None else text.replace(old, new)
    assert edited != text
    stamp = package / "_core_digest.py"
    stamped = stamp.read_text()
    try:
        path.write_text(edited)
        if path.suffix in COMPILED:
            refused = smoke.forked("--dry-run", *SMOKE, **environment)
            assert refused.returncode == 1
            assert "built from other sources" in refused.stderr
            stamp.write_text(f'DIGEST = "{core_digest(package)}"\n')  # as a build does
        planned = set(smoke.planned(*SMOKE, **environment))
    finally:
        path.write_text(text)
        stamp.write_text(stamped)
    assert rerun <= planned and not planned & kept
    assert planned >= (PAGE if rerun else set())
    assert rerun or planned == set()
