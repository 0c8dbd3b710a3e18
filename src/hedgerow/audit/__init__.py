"""Checks for those who trust nobody: are results what was recorded, and what is out of date?

`verify` compares a run with its manifest, `redo` makes jobs of it anew in a copy, `kept` compares
the tracked results at paper scale with theirs, `status` says what is out of date and why, and
`command` is what the command line calls.
"""

from hedgerow.audit.kept import verify_kept
from hedgerow.audit.status import status
from hedgerow.audit.verify import verify

__all__ = ["status", "verify", "verify_kept"]
