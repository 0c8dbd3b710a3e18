"""Reference results at the scale of the papers: made in parts, one per data set, and merged.

A part is what one data set gives: its rows, and a manifest that says from which bytes, with which
settings, code and versions. Parts can be made on different days and machines; each call of
`hedgerow reference` makes those that it is asked for and merges all that are there into tables
and figures. What is not there is named in every table. Where code was reshaped and no result was
changed, two parts that come out the same to the byte speak for the others (`compare`).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import ConfigError, DataError
from hedgerow.experiments.plan import sections
from hedgerow.files import (
    check_folder,
    parquet_bytes,
    read_arrow,
    read_csv,
    read_json,
    read_parquet,
    read_yaml,
    write_bytes,
    write_csv,
    write_json,
)
from hedgerow.workflow.config import chunks, published_keys
from hedgerow.workflow.digest import PACKAGE, digest_of
from hedgerow.workflow.steps import declared_by, shown_path

if TYPE_CHECKING:
    import pandas as pd

#: Experiments of hours, made in parts; the others take minutes and are made as a whole.
IN_PARTS = ("search", "soft")
#: Modules of an experiment whose steps decide what is in its rows.
MAKE_ROWS = ("steps", "properties")
#: Modules whose results are not kept: pages are made of what is, sheets are for the bedside.
NOT_KEPT = ("page", "sheet")
#: Files that the workflow makes of one data set beside its rows, for its part.
BESIDE = {
    "soft": (),
    "search": ("data/results/search/properties/{dataset}.parquet",),
}
#: The setting that `chunk` cuts.
REPEATS = {"soft": "n_permutations", "search": "n_splits"}
#: Figures of megabytes, which are not kept.
LARGE = {"structure_beyond_patterns", "structure_beyond_bootstrap", "survival_curves"}
#: Distributions whose versions a part records: those that its numbers went through.
VERSIONS = ("hedgerow", "numpy", "pandas", "scikit-learn", "scipy")


def whole() -> list[str]:
    """Experiments on data sets, with settings of their own, that are made as a whole."""
    return [
        word
        for word, plan in sections().items()
        if word not in IN_PARTS and "datasets" in plan.settings()
    ]


def rows_digest(experiment: str, package: Path = PACKAGE) -> str:
    """Digest of all that the steps of an experiment reach that make its rows."""
    return _digest(package, experiment, lambda module: module in MAKE_ROWS)


def whole_digest(experiment: str, package: Path = PACKAGE) -> str:
    """Digest of all that an experiment reaches that is made as a whole, from draws to figures.

    With it the steps of the experiments whose settings it reads: it works on what they draw.
    """
    others = sorted(_sections_read(experiment))
    digests = [_digest(package, experiment, lambda module: module not in NOT_KEPT)]
    digests += [rows_digest(other, package) for other in others]
    return digests[0] if not others else hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _digest(package: Path, experiment: str, taken: Callable[[str], bool]) -> str:
    calls = [
        f"experiments.{declared.module}:{declared.name}"
        for declared in declared_by(experiment)
        if taken(declared.module.split(".")[1])
    ]
    return digest_of(*calls, package=package)


def _sections_read(experiment: str) -> set[str]:
    """Sections of other experiments whose settings an experiment reads."""
    return {section for d in declared_by(experiment) for section, *_ in (d.plans or {}).values()}


def kept(experiment: str) -> list[str]:
    """Tables and figures of an experiment that are kept as files of the project."""
    return [
        shown_path(declared)
        for declared in declared_by(experiment)
        if declared.kind != "step" and declared.name not in LARGE
    ]


def settings_of(root: Path, experiment: str, configuration: str) -> dict[str, Any]:
    """Settings of an experiment: config/default.yaml, extended by another file.

    Parameters
    ----------
    root : Path
        Folder of the project.
    experiment : str
        Section of the configuration.
    configuration : str
        Name of a file in config/, without its suffix.

    Returns
    -------
    dict
        The section with `seed` and `configuration`.
    """
    default, extended = (
        read_yaml(root / f"config/{name}.yaml") for name in ("default", configuration)
    )
    return {
        **default[experiment],
        **extended.get(experiment, {}),
        "seed": extended.get("seed", default["seed"]),
        "configuration": extended["configuration"],
    }


def check_out(folder: Path, experiment: str, force: bool) -> None:
    """Refuse a folder with files that no earlier call for this experiment has written.

    Raises
    ------
    InputError
        As `hedgerow.files.check_folder`; never if `force` is on.
    """

    def listed(at: Path) -> set[str] | None:
        own = {
            f"parts/{part.stem}{end}"
            for part in (at / "parts").glob("*.json")
            if _says(part, experiment)
            for end in (".json", ".parquet", "_times.csv")
        }
        said = _says(at / "manifest.json", experiment)
        if said:
            own |= {"manifest.json", *said.get("outputs", ()), *said.get("parts", ())}
        return own or None

    if not force:
        check_folder(folder, True, "`hedgerow reference`", listed)


def _says(manifest: Path, experiment: str) -> dict[str, Any]:
    """What a manifest says, if it is one of this experiment."""
    try:
        found = read_json(manifest) if manifest.is_file() else {}
    except DataError:
        return {}
    return found if found.get("experiment") == experiment else {}


def make_whole(root: Path, experiment: str, configuration: str, cores: int, folder: Path) -> dict:
    """Run an experiment that is not made in parts, and keep its tables and figures.

    Parameters
    ----------
    root : Path
        Folder of the project.
    experiment : str
        One of `whole`.
    configuration : str
    cores : int
    folder : Path
        Gets tables (CSV), figures (SVG) and manifest.json.

    Returns
    -------
    dict
        The manifest: settings, code, versions, checksums of the rows and of what is kept.

    Raises
    ------
    ConfigError
        If the workflow ends with an error, which it has printed.
    """

    from hedgerow.reporting.manifest import checksums

    claims = f"data/results/{experiment}/claims.parquet"
    wanted = (*kept(experiment), claims)
    _run(root, {"experiments": [experiment]}, configuration, cores, wanted)
    outputs = [folder / f"{experiment}_claims.csv"]
    write_csv(outputs[0], read_parquet(root / claims))
    for made in kept(experiment):
        outputs.append(folder / Path(made).name)
        write_bytes(outputs[-1], (root / made).read_bytes())
    rows = _planned(root, experiment, configuration, wanted)
    others = sorted(_sections_read(experiment))
    manifest = {
        "experiment": experiment,
        "settings": _stated(root, experiment, configuration),
        "settings_of": {other: _stated(root, other, configuration) for other in others},
        **_made_by(root, whole_digest(experiment, _package(root))),
        "rows": checksums(root.resolve(), [(root / path).resolve() for path in rows]),
        "outputs": checksums(folder.resolve(), [p.resolve() for p in outputs]),
    }
    write_json(folder / "manifest.json", manifest)
    return manifest


def judge_again(root: Path, experiment: str, folder: Path) -> dict[str, Any]:
    """Judge the claims of an experiment again from the tables that are kept of it.

    Nothing is learnt. Of experiments whose tables hold all that their claims read: they have a
    function `from_tables` beside `claims`.

    Parameters
    ----------
    root : Path
        Folder of the project.
    experiment : str
        One of `whole`.
    folder : Path
        Holds tables and manifest, and gets the claims and the manifest.

    Returns
    -------
    dict
        The manifest; under `judged_by`, what made the claims.

    Raises
    ------
    DataError
        The tables do not hold enough, or are not those of the manifest.
    """
    from hedgerow.reporting.manifest import checksums

    module = importlib.import_module(f"hedgerow.experiments.{experiment}.claims")
    if not hasattr(module, "from_tables"):
        raise DataError(
            f"the tables of {experiment} do not hold all that its claims read",
            remedy=f"make it again: hedgerow reference {experiment}",
        )
    manifest = read_json(folder / "manifest.json")
    outputs = manifest["outputs"]
    read = sorted(n for n in outputs if n.endswith(".csv") and n != f"{experiment}_claims.csv")
    now = checksums(
        folder.resolve(), [(folder / n).resolve() for n in read if (folder / n).is_file()]
    )
    for name in read:
        if now.get(name) != outputs[name]:
            raise DataError(
                f"{folder / name} is not the file that its manifest describes",
                remedy=f"make it again: hedgerow reference {experiment}",
            )
    tables = {Path(name).stem: read_csv(folder / name) for name in read}
    path = folder / f"{experiment}_claims.csv"
    write_csv(path, module.from_tables(tables, *_claims(root)))
    outputs |= checksums(folder.resolve(), [path.resolve()])
    digest = digest_of(f"experiments.{experiment}.claims:from_tables", package=_package(root))
    manifest = {**manifest, "outputs": outputs, "judged_by": _made_by(root, digest)}
    write_json(folder / "manifest.json", manifest)
    return manifest


def _package(root: Path) -> Path:
    """The sources of the project at hand, or of the installed package."""
    return root / "src/hedgerow" if (root / "src/hedgerow").is_dir() else PACKAGE


def _made_by(root: Path, digest: str) -> dict[str, Any]:
    """Code, versions and machine, for a manifest."""
    from hedgerow.reporting.checkout import code_state

    return {
        "code": {**code_state(root), "digest": digest},
        "versions": {name: metadata.version(name) for name in VERSIONS},
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _run(
    root: Path, settings: Mapping, configuration: str, cores: int, targets: Iterable[str]
) -> None:
    """Run the workflow for some files, with a configuration and these settings above it."""
    from hedgerow.workflow.run import run

    with _configured(settings, configuration) as files:
        code = run([f"--cores={cores}", *files, "--", *targets], root)
    if code:
        raise ConfigError(
            f"the workflow stopped with exit code {code}",
            remedy="mend what it says above and call the command again; finished jobs are kept",
        )


@contextlib.contextmanager
def _configured(settings: Mapping, configuration: str) -> Iterator[list[str]]:
    """Arguments of Snakemake for a configuration with these settings above it."""
    import yaml

    with tempfile.TemporaryDirectory() as folder:
        only = Path(folder) / "only.yaml"
        only.write_text(yaml.safe_dump(dict(settings)))
        yield ["--configfile", f"config/{configuration}.yaml", str(only)]


def _planned(root: Path, experiment: str, configuration: str, targets: Iterable[str]) -> list[str]:
    """Results of an experiment on the way to some files, as Snakemake lists them; no chunks."""
    with _configured({"experiments": [experiment]}, configuration) as files:
        command = [sys.executable, "-m", "snakemake", "--summary", *files, "--", *targets]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    paths = {line.partition("\t")[0] for line in done.stdout.splitlines()}
    inside = f"data/results/{experiment}/"
    own = sorted(p for p in paths if p.startswith(inside) and p.endswith(".parquet"))
    return [path for path in own if "/chunks/" not in path]


def make(
    root: Path, experiment: str, datasets: Sequence[str], configuration: str, cores: int
) -> None:
    """Run the workflow for some data sets up to their rows.

    Parameters
    ----------
    root : Path
    experiment : str
    datasets : sequence of str
    configuration : str
    cores : int

    Raises
    ------
    ConfigError
        If the workflow ends with an error, which it has printed.
    """
    settings = {"experiments": [experiment], experiment: {"datasets": list(datasets)}}
    targets = [
        *(f"data/results/{experiment}/{dataset}.parquet" for dataset in datasets),
        *(path.format(dataset=d) for path in BESIDE[experiment] for d in datasets),
    ]
    _run(root, settings, configuration, cores, targets)


def collect(
    root: Path, experiment: str, datasets: Iterable[str], configuration: str, folder: Path
) -> None:
    """Store the rows of data sets as parts, each with its manifest.

    Parameters
    ----------
    root : Path
        Folder of the project in which the workflow made the rows.
    experiment : str
    datasets : iterable of str
    configuration : str
        With which they were made.
    folder : Path
        Gets <dataset>.parquet and <dataset>.json.
    """
    import pandas as pd

    from hedgerow.reporting.manifest import checksums

    stated = _of_part(root, experiment, configuration)
    made_by = _made_by(root, rows_digest(experiment, _package(root)))
    # Other configurations have left files of theirs here, cut otherwise.
    settings = settings_of(root, experiment, configuration)
    cut = chunks(settings[REPEATS[experiment]], settings["chunk"])
    for dataset in datasets:
        rows = root / f"data/results/{experiment}/{dataset}.parquet"
        tidy = root / f"data/tidy/{dataset}.parquet"
        source = read_json(root / f"data/raw/{dataset}/source.json")
        manifest = {
            "dataset": dataset,
            "experiment": experiment,
            "settings": stated,
            **made_by,
            "source": source,
            "size": _size(tidy),
            **_beside(root, experiment, dataset),
            "files": checksums(root.resolve(), [tidy.resolve(), rows.resolve()]),
            "jobs": _jobs(root, experiment, dataset, cut),
        }
        write_bytes(folder / f"{dataset}.parquet", rows.read_bytes())
        folder_of_times = root / f"data/jobs/{experiment}/times"
        times = [read_parquet(folder_of_times / f"{dataset}_{chunk}.parquet") for chunk in cut]
        times = pd.concat(times, ignore_index=True)
        write_csv(folder / f"{dataset}_times.csv", mean_times(times))
        write_json(folder / f"{dataset}.json", manifest)


def _stated(root: Path, experiment: str, configuration: str) -> dict[str, Any]:
    """Settings on which results depend."""
    stated = settings_of(root, experiment, configuration)
    return {key: stated[key] for key in sorted(set(stated) - sections()[experiment].unstated())}


def _of_part(root: Path, experiment: str, configuration: str) -> dict[str, Any]:
    """Settings that a part was made with: of its data set it says more."""
    stated = _stated(root, experiment, configuration)
    return {key: value for key, value in stated.items() if key != "datasets"}


def compare(
    root: Path, experiment: str, datasets: Sequence[str], configuration: str, folder: Path
) -> None:
    """Count parts as made by the code of today, because some of them came out the same.

    What was made keeps its digest; beside it, under `equal`, stand the digest of today and the data
    sets that were compared.

    Parameters
    ----------
    root : Path
        Folder of the project in which the workflow made the rows again.
    experiment : str
    datasets : sequence of str
        Two or more that were made again.
    configuration : str
    folder : Path
        Holds the parts.

    Raises
    ------
    DataError
        As `read_parts`, and if one of them has no part, or what was made again is not to the byte
        what its part was, or not with its settings. No part is changed then.
    """
    _, manifests = read_parts(folder)
    stated = _of_part(root, experiment, configuration)
    for dataset in datasets:
        if dataset not in manifests:
            raise DataError(f"{folder} has no part {dataset}", remedy="make it first")
        kept = manifests[dataset]
        rows = f"data/results/{experiment}/{dataset}.parquet"
        # Not the files: their layout, checksums and versions of writers may change.
        again = read_arrow(root / rows)
        before = read_arrow(folder / f"{dataset}.parquet", sealed=False)
        one, other = (parquet_bytes(t.replace_schema_metadata(None)) for t in (again, before))
        unlike = [rows] if one != other else []
        raw = f"data/raw/{dataset}/source.json"
        unlike += [raw] if read_json(root / raw)["sha256"] != kept["source"]["sha256"] else []
        unlike += ["settings"] if kept["settings"] != stated else []
        if unlike:
            raise DataError(
                f"{', '.join(unlike)}: made again, not what {folder / dataset}.json describes",
                remedy="results have changed: make all parts again",
            )
    digest = rows_digest(experiment, _package(root))
    for dataset, manifest in manifests.items():
        code = {key: value for key, value in manifest["code"].items() if key != "equal"}
        if code["digest"] != digest:
            code["equal"] = {"digest": digest, "compared": sorted(set(datasets))}
        write_json(folder / f"{dataset}.json", {**manifest, "code": code})


def _beside(root: Path, experiment: str, dataset: str) -> dict[str, Any]:
    """What the manifest of a part says of its data set: calibration, or properties."""

    if experiment == "soft":
        calibrated = read_parquet(root / f"data/calibrated/soft/{dataset}.parquet")
        return {"calibration": calibrated.to_dict("records")[0]}
    properties = read_parquet(root / BESIDE["search"][0].format(dataset=dataset))
    return {"properties": dict(zip(properties["metric"], properties["value"], strict=True))}


def mean_times(times: pd.DataFrame) -> pd.DataFrame:
    """Mean seconds of each cell over the permutations of a data set; of each split for search."""
    if "split" in times:
        return times.sort_values(["split", "method", "criterion"], ignore_index=True).round(6)
    key = ["experiment", "dataset", "method", "noise"]
    return times.groupby(key, as_index=False)["seconds"].mean().round(6)


def _size(tidy: Path) -> dict[str, Any]:
    from hedgerow.data import read_tidy
    from hedgerow.experiments.soft.tables import sizes

    return {key: _plain(v) for key, v in sizes([read_tidy(tidy)]).iloc[0].to_dict().items()}


def _plain(value):
    return value.item() if hasattr(value, "item") else value


def _jobs(root: Path, experiment: str, dataset: str, cut: Iterable[str]) -> dict[str, float]:
    """Jobs of a data set: their number, seconds and largest memory, as they recorded them."""
    import pandas as pd

    names = [dataset, *(f"{dataset}_{chunk}" for chunk in cut)]
    records = root / f"data/jobs/{experiment}"
    files = [file for name in names for file in records.rglob(f"{name}.tsv")]
    jobs = pd.concat([pd.read_csv(file, sep="\t") for file in sorted(files)], ignore_index=True)
    memory = pd.to_numeric(jobs["max_rss"], errors="coerce")
    return {
        "n_jobs": len(jobs),
        "seconds": round(float(jobs["s"].sum()), 1),
        "longest_seconds": round(float(jobs["s"].max()), 1),
        "largest_mib": round(float(memory.max()), 1),
    }


def read_parts(folder: Path) -> tuple[pd.DataFrame, dict[str, Mapping[str, Any]]]:
    """All parts in a folder, checked against their manifests and each other.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    rows : DataFrame
        Of all data sets, in the order of their names.
    manifests : dict
        By data set.

    Raises
    ------
    DataError
        If there is no part, a part is not what its manifest says, or two parts were made with
        different settings or code.
    """
    import pandas as pd

    from hedgerow.reporting.manifest import checksums

    manifests = {p.stem: read_json(p) for p in sorted(folder.glob("*.json"))}
    if not manifests:
        raise DataError(
            f"{folder} holds no part", remedy="make one: hedgerow reference EXPERIMENT DATASET"
        )
    said = {dataset: _said(folder, dataset, manifests[dataset]) for dataset in manifests}
    first, *_ = said
    frames = []
    for dataset, (settings, code, checksum) in said.items():
        for key, mine, other in (
            ("settings", settings, said[first][0]),
            ("code", code, said[first][1]),
        ):
            if mine != other:
                raise DataError(
                    f"the parts {first} and {dataset} in {folder} were made with different {key}",
                    remedy="make one of them again",
                )
        path = folder / f"{dataset}.parquet"
        if not path.is_file() or checksums(folder, [path.name])[path.name] != checksum:
            raise DataError(
                f"{path} is not the file that its manifest describes", remedy="make it again"
            )
        # Parts that are older than seals have none: the manifest holds their checksums.
        frames.append(read_parquet(path, sealed=False))
    return pd.concat(frames, ignore_index=True), manifests


def _said(folder: Path, dataset: str, manifest: Mapping) -> tuple[Any, str, str]:
    """Settings, digest of the code and checksum of the rows, as the manifest of a part has them."""
    try:
        code, files = manifest["code"], manifest["files"]
        (checksum,) = (sha256 for name, sha256 in files.items() if "/results/" in name)
        return manifest["settings"], code.get("equal", code)["digest"], checksum
    except (LookupError, TypeError, AttributeError, ValueError):
        raise DataError(
            f"{folder / dataset}.json is no manifest of a part", remedy="make it again"
        ) from None


def merge(root: Path, experiment: str, configuration: str, folder: Path) -> dict[str, Any]:
    """Tables and figures of all parts in `folder`/parts, and their manifest.

    Parameters
    ----------
    root : Path
        Folder of the project; its published figures are read.
    experiment : str
    configuration : str
        Whose data sets are asked for.
    folder : Path
        Holds parts/ and gets tables (CSV), figures (SVG) and manifest.json.

    Returns
    -------
    dict
        The manifest: parts, outputs with their SHA-256, absent data sets, seconds of all jobs.

    Raises
    ------
    DataError
        As `read_parts`.
    """
    import pandas as pd

    from hedgerow.reporting.manifest import checksums

    rows, manifests = read_parts(folder / "parts")
    settings = settings_of(root, experiment, configuration)
    made_with = next(iter(manifests.values()))["settings"]
    section = {k: v for k, v in made_with.items() if k not in ("seed", "configuration")}
    section["datasets"] = settings["datasets"]
    stated = (section, made_with["seed"], made_with["configuration"])
    read = [folder / f"parts/{dataset}_times.csv" for dataset in manifests]
    times = pd.concat(map(read_csv, read))
    merged = {"soft": _merged_soft, "search": _merged_search}[experiment]
    made, known = merged(root, rows, times, manifests, stated)
    for declared in declared_by(experiment):
        if declared.kind != "step" and declared.name not in made:
            module = importlib.import_module(f"hedgerow.experiments.{declared.module}")
            arguments = {name: known[name] for name in declared.parameters}
            made[declared.name] = getattr(module, declared.name)(**arguments)
    outputs = []
    for name, result in made.items():
        table = isinstance(result, pd.DataFrame)
        if table and result.empty:  # of methods that are not run at this scale
            continue
        outputs.append(folder / f"{name}.{'csv' if table else 'svg'}")
        (write_csv if table else _save)(outputs[-1], result)
    manifest = {
        "experiment": experiment,
        "configuration": made_with["configuration"],
        "parts": checksums(folder.resolve(), (folder.resolve() / "parts").glob("*")),
        "outputs": checksums(folder.resolve(), [p.resolve() for p in outputs]),
        "absent": [d for d in settings["datasets"] if d not in manifests],
        "job_seconds": round(sum(m["jobs"]["seconds"] for m in manifests.values()), 1),
        "longest_job_seconds": max(m["jobs"]["longest_seconds"] for m in manifests.values()),
        "largest_mib": max(m["jobs"]["largest_mib"] for m in manifests.values()),
    }
    write_json(folder / "manifest.json", manifest)
    return manifest


def _save(path: Path, figure: Any) -> None:
    from hedgerow.reporting.figures import save

    save(figure, path)


def _merged_soft(root, rows, times, manifests, stated) -> tuple[dict, dict]:
    """Of experiments 1 and 2: what no function of the report makes of parts, and inputs by name."""
    import pandas as pd

    from hedgerow.experiments.soft import plan as soft_plan
    from hedgerow.experiments.soft import tables
    from hedgerow.experiments.soft.claims import with_times
    from hedgerow.experiments.soft.statistics import statistics

    plan = soft_plan.SoftPlan.from_config(*stated)
    known = {"rows": rows, "statistics": statistics(rows, plan), "plan": plan}
    published = known["published"] = _published(root, "thesis_table_3_")
    sizes = pd.DataFrame([m["size"] for m in manifests.values()])
    calibrated = pd.DataFrame([m["calibration"] for m in manifests.values()])
    both = pd.concat([published["thesis_table_3_4"], published["thesis_table_3_5"]])
    made = {
        "thesis_table_3_1": tables.of_sizes(sizes, calibrated, published["thesis_table_3_1"], plan),
        "statistics": known["statistics"],
        "soft_by_factor": tables.soft_by_factor(rows),
        "running_times": tables.soft_running_times(times, both),
    }
    if set(soft_plan.PRINTED) <= set(plan.methods):
        made["soft_claims"] = with_times(rows, times, *_claims(root))
    return made, known


def _merged_search(root, rows, times, manifests, stated) -> tuple[dict, dict]:
    """Of chapter 4: what no function of the report makes of parts, and inputs by name."""
    import pandas as pd

    from hedgerow.data import load_registry
    from hedgerow.experiments.search.claims import claims
    from hedgerow.experiments.search.plan import SearchPlan
    from hedgerow.experiments.search.statistics import statistics
    from hedgerow.experiments.search.tables import search_running_times

    section, *rest = stated
    registry = load_registry(root / read_yaml(root / "config/default.yaml")["registry"])
    printed = published_keys(registry, "thesis4")
    plan = SearchPlan.from_config({**section, "printed": printed}, *rest)
    known = {"rows": rows, "statistics": statistics(rows, plan), "plan": plan}
    published = known["published"] = _published(root, "thesis_table_4_")
    properties = known["properties"] = pd.DataFrame(
        [(d, k, v) for d, m in manifests.items() for k, v in m["properties"].items()],
        columns=["dataset", "metric", "value"],
    )
    made = {
        "statistics": known["statistics"],
        "search_claims": claims(rows, properties, published, *_claims(root), plan),
        "running_times": search_running_times(times, published, plan),
    }
    return made, known


def _published(root: Path, prefix: str) -> dict[str, pd.DataFrame]:
    """Published tables by their ids."""

    found = sorted((root / "data/published").glob(f"{prefix}*.csv"))
    return {path.stem: read_csv(path) for path in found}


def _claims(root: Path) -> tuple[dict[str, Any], pd.DataFrame]:
    """What judges claims, and what the papers state."""

    specification = read_yaml(root / "config/claims.yaml")
    return specification, read_csv(root / "data/published/claims.csv")
