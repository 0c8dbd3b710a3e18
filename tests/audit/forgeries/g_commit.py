"""The manifest names a commit that nobody has, of which everything is said to be as committed."""

from forger import records

COMMAND = ("verify", "--no-cheap")
ANSWER = r"Not checked: [^.]*\bcommit\b"


def forge(run):
    about = {"commit": "73a5" * 10, "changed": {}, "diff": [], "clean": True}
    records(run, lambda manifest: manifest["code"].update(about))
