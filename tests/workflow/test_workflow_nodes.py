"""What a run on a cluster will take: jobs together as the profile says, on some nodes."""

from __future__ import annotations

import argparse

import pytest

from hedgerow.errors import ConfigError
from hedgerow.files import write_text
from hedgerow.workflow.need import Known, forecast
from hedgerow.workflow.nodes import ASKED, EACH, START, grouped, on_nodes
from hedgerow.workflow.plan_command import _count
from hedgerow.workflow.profile import PROFILE
from hedgerow.workflow.records import Need

PROFILED = """\
groups: {a_learn: a, a_test: a, a_page: a_shown}
group-components: {a: 2, a_shown: 9}
"""


def job(inputs, outputs):
    return {"inputs": inputs, "outputs": outputs, "settings": ""}


@pytest.fixture
def jobs():
    """Three data sets, each fetched, learnt and tested; a page of all."""
    found = {"a_page": job(["test x", "test y", "test z"], ["page"])}
    for name in "xyz":
        found[f"fetch:{name}"] = job([], [f"raw {name}"])
        found[f"a_learn:{name}"] = job([f"raw {name}"], [f"tree {name}"])
        found[f"a_test:{name}"] = job([f"tree {name}"], [f"test {name}"])
    return found


def test_a_chain_is_together_and_so_are_as_many_as_the_profile_says(jobs):
    groups = {"a_learn": "a", "a_test": "a", "a_page": "a_shown"}
    assert sorted(grouped(jobs, groups, {"a": 2})) == [
        ["a_learn:x", "a_learn:y", "a_test:x", "a_test:y"],
        ["a_learn:z", "a_test:z"],
        ["a_page"],
    ]
    assert len(grouped(jobs, groups, {})) == 4
    assert grouped(jobs, {}, {}) == []


@pytest.mark.parametrize(("nodes", "groups"), [(1, 3), (2, 2), (9, 2)])
def test_groups_wait_for_each_other_and_run_beside_each_other(tmp_path, jobs, nodes, groups):
    """On one core two groups of one paper come one after the other, then the page."""
    write_text(tmp_path / PROFILE, PROFILED)
    took = {id: Need(0.0 if id.startswith("fetch") else 100.0, 1) for id in jobs}
    found = forecast(jobs, Known({}, took), 1)
    planned = on_nodes(found, jobs, nodes, 1, tmp_path)
    assert sorted(planned.groups.values()) == pytest.approx(
        [START + n * (EACH + 100) for n in (1, 2, 4)]
    )
    learn = [4, 2] if groups == 3 else [4]
    expected = sum(START + n * (EACH + 100) for n in [*learn, 1])
    # A core is free at once; that a group is over is known later.
    assert planned.wall == pytest.approx(expected + 2 * ASKED)
    assert "3 jobs of Slurm, half of them longer than 3.4 min" in planned.line()
    assert ("1 node with 1 core" if nodes == 1 else f"{nodes} nodes") in planned.line()


def test_a_profile_without_groups_is_refused(tmp_path, jobs):
    write_text(tmp_path / PROFILE, "jobs: 100\n")
    with pytest.raises(ConfigError, match="has no groups of rules"):
        on_nodes(forecast(jobs, Known({}, {}), 1), jobs, 1, 1, tmp_path)


@pytest.mark.parametrize("text", ["0", "-1", "two", ""])
def test_a_number_of_nodes_is_at_least_one(text):
    assert _count("3") == 3
    with pytest.raises(argparse.ArgumentTypeError, match="no number of at least 1"):
        _count(text)
