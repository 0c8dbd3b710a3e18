"""A draw of parts that nobody made is put on record, all of them equal."""

import json

COMMAND = ("verify", "--no-cheap")
FOLDER = "data/reference"
ANSWER = r"draws on record\s+not checked\s+By the word of those who drew.*Not checked: .*draws on"


def forge(run):
    file = run / FOLDER / "spot_checks.json"
    content = json.loads(file.read_text())
    content["draws"] = [{**content["draws"][0], "seed": "nobody"}]
    content["draws"][0]["parts"] = dict.fromkeys(content["draws"][0]["parts"], "equal")
    file.write_text(json.dumps(content))
