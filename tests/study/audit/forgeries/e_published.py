"""A value that the thesis prints is replaced by the measured one, on the page as well."""

from forger import records, table, write_table

COMMAND = ("verify",)
ANSWER = r"reports/tables/thesis_table_4_1\.csv .*rerun"


def forge(run):
    published = run / "data/published/thesis_table_4_1.csv"
    head, first, *rest = published.read_text().splitlines(keepends=True)
    published.write_text("".join([head, first.replace("9", "8"), *rest]))
    lines = table(run, "thesis_table_4_1")
    line = next(line for line in lines if line["published"])
    line["published"] = "99.12"
    write_table(run, "thesis_table_4_1", lines)
    records(run, lambda manifest: manifest["code"].update(changed={}, diff=[], clean=True))
