"""A compiled core is not what its sources give, and the manifest lists it as it is."""

import os

from forger import records

from hedgerow._stamp import compiled
from hedgerow_study.reporting.manifest import checksum

COMMAND = ("verify",)
CORE = "hedgerow.structure._edit"
ANSWER = rf"compiled cores\s+no\s+{CORE}: not what the sources of the commit give"


def forge(run):
    core = compiled()[CORE]
    honest, times = core.read_bytes(), (core.stat().st_atime_ns, core.stat().st_mtime_ns)

    def put(content):
        beside = core.with_name(f"{core.name}.forged")  # a core in use is replaced, not written to
        beside.write_bytes(content)
        beside.chmod(0o755)
        os.utime(beside, ns=times)
        beside.replace(core)

    put(honest + b"\0")
    records(run, lambda manifest: manifest["cores"].update({CORE: checksum(core)}))
    return lambda: put(honest)
