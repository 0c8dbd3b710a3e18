"""A bound in config/claims.yaml is loosened, and the verdict that follows is written down."""

from forger import records

COMMAND = ("verify",)
ANSWER = r"reports/claims\.csv .*rerun"


def forge(run):
    rules = run / "config/claims.yaml"
    rules.write_text(rules.read_text().replace(" < 0.05", " < 0.95").replace(" < .05", " < .95"))
    claims = run / "reports/claims.csv"
    text = claims.read_text()
    claims.write_text(text.replace(",not reproduced,", ",reproduced,", 1))
    records(run, lambda manifest: manifest["code"].update(changed={}, diff=[], clean=True))
