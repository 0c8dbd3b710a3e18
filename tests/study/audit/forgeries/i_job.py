"""The job of a table is struck from the manifest, so that nothing makes its raised cell anew."""

from forger import raise_cell, records

COMMAND = ("verify",)
ANSWER = r"parents\s+no"


def forge(run):
    raise_cell(run)

    def strike(manifest):
        job = manifest["jobs"].pop("soft_tables")
        for path in job["outputs"]:
            del manifest["made_by"][path]

    records(run, strike)
