"""The manifest names a commit that nobody has, of which everything is said to be as committed."""

from forger import records

COMMAND = ("verify", "--no-cheap")
ANSWER = r"Not checked: [^.]*\bcommit\b"


def forge(run):
    (run / "reports/html/assets/run.js").unlink(missing_ok=True)  # it names the commit as well
    about = {"commit": "73a5" * 10, "changed": {}, "diff": [], "clean": True}
    records(run, lambda manifest: manifest["code"].update(about))
