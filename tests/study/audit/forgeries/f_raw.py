"""A raw file is edited, with the checksum in source.json, registry, manifest and list."""

from forger import records

from hedgerow_study.reporting.manifest import checksum

COMMAND = ("verify",)
ANSWER = r"data sets.*no .*haberman"


def forge(run):
    folder = run / "data/raw/haberman"
    file, before = folder / "haberman.data", checksum(folder / "haberman.data")
    content = file.read_text()
    place = next(i for i, sign in enumerate(content) if sign.isdigit() and sign != "9")
    file.write_text(f"{content[:place]}9{content[place + 1 :]}")
    now = checksum(file)
    for path in (folder / "source.json", run / "config/datasets.yaml"):
        path.write_text(path.read_text().replace(before, now))
    registered = folder / "haberman.registered"
    if registered.stat().st_size:
        registered.write_bytes(file.read_bytes())

    def edit(manifest):
        manifest["code"].update(changed={}, diff=[], clean=True)
        for source in manifest["sources"].values():
            if source["dataset"] == "haberman":
                source["sha256"] = now

    records(run, edit)
