"""The state of a checkout: its commit, and every file that a run reaches and that is not in it."""

import hashlib
import subprocess

import pytest

from hedgerow.files import write_json
from hedgerow_study.reporting import checkout as checkouts
from hedgerow_study.reporting.checkout import Checkout, State, checkout, code_state


def git(project, *arguments):
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    done = subprocess.run(
        ["git", "-C", project, *name, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path):
    """A repository with a file of code, one of settings, a published figure, and a document."""
    for name in ("src/a.py", "config/claims.yaml", "data/published/t.csv", "docs/a.md", "ä b.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"first line of {name}\n")
    (tmp_path / "config/ä b.yaml").write_text("a name that git would quote\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "all")
    return tmp_path


def test_a_clean_checkout_is_its_commit_and_hashes(project):
    found = checkout(project)
    assert found.commit == git(project, "rev-parse", "HEAD")
    assert len(found.date) == 10
    assert (found.changed, found.diff, found.clean, found.sentence()) == ({}, [], True, "")
    text = (project / "src/a.py").read_bytes()
    assert found.files["src/a.py"] == hashlib.sha256(text).hexdigest()
    assert list(found.files) == [
        *("config/claims.yaml", "config/ä b.yaml", "data/published/t.csv", "src/a.py")
    ]
    assert State(project).shown(None) == {}


def test_what_is_changed_new_or_gone_is_named_with_its_lines(project):
    """`+= 5` in a table's function left no trace but in digests that were those of the change."""
    (project / "src/a.py").write_text("first line of src/a.py\nvalue += 5\n")
    (project / "src/b.py").write_text("new")
    (project / "data/published/t.csv").unlink()
    (project / "src/__pycache__").mkdir()
    (project / "src/__pycache__/a.pyc").write_text("left by Python")
    (project / "docs/a.md").write_text("no result depends on it")
    found = checkout(project)
    assert found.changed == {
        "data/published/t.csv": "gone",
        "src/a.py": "changed",
        "src/b.py": "new",
    }
    assert "+value += 5" in found.diff
    assert str(project) not in "".join(found.diff)
    assert found.sentence().startswith("Made by a changed checkout: 3 files differ from commit ")
    assert Checkout.from_dict(found.to_dict()) == found
    assert State(project).shown(None)["files"] == list(found.changed)


def test_a_setting_of_git_hides_nothing(project):
    """`git status` says that all is clean where the index is told to assume it."""
    git(project, "update-index", "--assume-unchanged", "config/claims.yaml")
    (project / ".git/info/exclude").write_text("*.py\n")
    (project / "config/claims.yaml").write_text("a loosened bound\n")
    (project / "src/b.py").write_text("new")
    assert git(project, "status", "--porcelain") == ""
    assert checkout(project).changed == {"config/claims.yaml": "changed", "src/b.py": "new"}


def test_a_long_difference_is_cut_and_says_so(project, monkeypatch):
    monkeypatch.setattr(checkouts, "MOST_CHARACTERS", 100)
    (project / "src/a.py").write_text("another line\n" * 50)
    diff = checkout(project).diff
    assert sum(len(line) + 1 for line in diff[:-1]) <= 100
    assert diff[-1].startswith("CUT: ") and "more characters" in diff[-1]


def test_later_commits_of_documents_leave_the_commit(project):
    """Otherwise each commit would have the manifest written anew."""
    before = checkout(project)
    (project / "docs/a.md").write_text("another text")
    git(project, "commit", "-qam", "documents")
    assert checkout(project) == before
    (project / "src/a.py").write_text("another line\n")
    changed = checkout(project)
    git(project, "commit", "-qam", "code")
    after = checkout(project)
    assert after.commit == git(project, "rev-parse", "HEAD") != before.commit
    assert len({before.digest(), changed.digest(), after.digest()}) == 3


def test_results_at_paper_scale_are_told_but_to_the_command_that_makes_them(project):
    made = project / checkouts.RESULTS / "soft"
    made.mkdir(parents=True)
    (made / "table.csv").write_text("made anew")
    assert checkout(project).changed == {"data/reference/soft/table.csv": "new"}
    assert code_state(project) == {"commit": git(project, "rev-parse", "HEAD"), "clean": True}
    (project / "src/a.py").write_text("changed")
    assert code_state(project)["clean"] is False


def test_without_git_there_are_hashes_and_a_sentence(project, monkeypatch):
    before = checkout(project).files
    # A copy inside another repository is not that repository.
    assert checkout(project / "data").commit is None
    monkeypatch.setenv("PATH", "")
    found = checkout(project)
    assert (found.commit, found.clean, found.files) == (None, None, before)
    assert "outside of a git repository" in found.sentence()
    assert code_state(project) == {"commit": None, "clean": None}


def test_a_copy_may_stand_for_the_checkout_that_it_was_copied_from(project, monkeypatch, tmp_path):
    """A page that is made anew in a copy without git would say that it was made outside of git."""
    found = checkout(project)
    write_json(project / "state.json", found.to_dict())
    monkeypatch.setenv(checkouts.VARIABLE, str(project / "state.json"))
    assert checkout(tmp_path / "nowhere") == found
