"""Reference results at the scale of the papers: made in parts, one per data set, and merged.

A part is what one data set gives: its rows, and a manifest that says from which bytes, with which
settings, code and versions. Parts can be made on different days and machines; each call of
`hedgerow reference` makes those that it is asked for and merges all that are there into tables
and figures. What is not there is named in every table. Where code was reshaped and no result was
changed, two parts that come out the same to the byte speak for the others (`compare`).
"""

from __future__ import annotations

import json
import platform
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import yaml

from hedgerow.errors import ConfigError, DataError
from hedgerow.experiments.plan import sections
from hedgerow.workflow.config import load_yaml, published_keys
from hedgerow.workflow.digest import PACKAGE, digest_of
from hedgerow.workflow.jobs import write_csv, write_json, written_whole
from hedgerow.workflow.steps import declared_by, shown_path

#: Experiments of hours, made in parts; the others take minutes and are made as a whole.
IN_PARTS = ("search", "soft")
#: Modules of an experiment whose steps decide what is in its rows.
MAKE_ROWS = ("steps", "properties")
#: Files that the workflow makes of one data set beside its rows, for its part.
BESIDE = {
    "soft": (),
    "search": ("data/results/search/properties/{dataset}.parquet",),
}
#: Figures of megabytes, which are not kept.
LARGE = {"structure_beyond_patterns", "structure_beyond_bootstrap"}
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
    calls = [
        f"experiments.{declared.module}:{declared.name}"
        for declared in declared_by(experiment)
        if declared.module.split(".")[1] in MAKE_ROWS
    ]
    return digest_of(*calls, package=package)


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
        load_yaml(root / f"config/{name}.yaml") for name in ("default", configuration)
    )
    return {
        **default[experiment],
        **extended.get(experiment, {}),
        "seed": extended.get("seed", default["seed"]),
        "configuration": extended["configuration"],
    }


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
    write_csv(outputs[0], pd.read_parquet(root / claims))
    for made in kept(experiment):
        outputs.append(folder / Path(made).name)
        with written_whole(outputs[-1]) as beside:
            beside.write_bytes((root / made).read_bytes())
    settings = settings_of(root, experiment, configuration)
    rows = sorted((root / f"data/results/{experiment}").resolve().glob("*.parquet"))
    apart = sections()[experiment].unstated()
    manifest = {
        "experiment": experiment,
        "settings": {k: settings[k] for k in sorted(settings) if k not in apart},
        **_made_by(root, rows_digest(experiment, _package(root))),
        "rows": checksums(root.resolve(), [r for r in rows if r.stem in settings["datasets"]]),
        "outputs": checksums(folder.resolve(), [p.resolve() for p in outputs]),
    }
    write_json(folder / "manifest.json", manifest)
    return manifest


def _package(root: Path) -> Path:
    """The sources of the project at hand, or of the installed package."""
    return root / "src/hedgerow" if (root / "src/hedgerow").is_dir() else PACKAGE


def _made_by(root: Path, digest: str) -> dict[str, Any]:
    """Code, versions and machine, for a manifest."""
    from hedgerow.reporting.manifest import code_state

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

    with tempfile.TemporaryDirectory() as folder:
        only = Path(folder) / "only.yaml"
        only.write_text(yaml.safe_dump(dict(settings)))
        files = ["--configfile", f"config/{configuration}.yaml", str(only), "--", *targets]
        code = run([f"--cores={cores}", *files], root)
    if code:
        raise ConfigError(
            f"the workflow stopped with exit code {code}",
            remedy="mend what it says above and call the command again; finished jobs are kept",
        )


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
    from hedgerow.reporting.manifest import checksums

    stated = _stated(root, experiment, configuration)
    made_by = _made_by(root, rows_digest(experiment, _package(root)))
    for dataset in datasets:
        rows = root / f"data/results/{experiment}/{dataset}.parquet"
        tidy = root / f"data/tidy/{dataset}.parquet"
        source = json.loads((root / f"data/raw/{dataset}/source.json").read_text())
        manifest = {
            "dataset": dataset,
            "experiment": experiment,
            "settings": stated,
            **made_by,
            "source": source,
            "size": _size(tidy),
            **_beside(root, experiment, dataset),
            "files": checksums(root.resolve(), [tidy.resolve(), rows.resolve()]),
            "jobs": _jobs(root, experiment, dataset),
        }
        with written_whole(folder / f"{dataset}.parquet") as beside:
            beside.write_bytes(rows.read_bytes())
        chunks = sorted((root / f"data/jobs/{experiment}/times").glob(f"{dataset}_[0-9]*.parquet"))
        times = pd.concat(map(pd.read_parquet, chunks), ignore_index=True)
        write_csv(folder / f"{dataset}_times.csv", mean_times(times))
        write_json(folder / f"{dataset}.json", manifest)


def _stated(root: Path, experiment: str, configuration: str) -> dict[str, Any]:
    """Settings that a part was made with: those on which its rows depend."""
    stated = settings_of(root, experiment, configuration)
    apart = {"datasets", *sections()[experiment].unstated()}
    return {key: stated[key] for key in sorted(set(stated) - apart)}


def compare(
    root: Path, experiment: str, datasets: Sequence[str], configuration: str, folder: Path
) -> None:
    """Count parts as made by the code of today, because some of them came out the same to the byte.

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
    from hedgerow.reporting.manifest import checksums

    _, manifests = read_parts(folder)
    stated = _stated(root, experiment, configuration)
    for dataset in datasets:
        if dataset not in manifests:
            raise DataError(f"{folder} has no part {dataset}", remedy="make it first")
        kept = manifests[dataset]
        again = checksums(root.resolve(), [(root / name).resolve() for name in kept["files"]])
        unlike = [name for name in sorted(again) if again[name] != kept["files"][name]]
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
        calibrated = pd.read_parquet(root / f"data/calibrated/soft/{dataset}.parquet")
        return {"calibration": calibrated.to_dict("records")[0]}
    properties = pd.read_parquet(root / BESIDE["search"][0].format(dataset=dataset))
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


def _jobs(root: Path, experiment: str, dataset: str) -> dict[str, float]:
    """Jobs of a data set: their number, seconds and largest memory, as Snakemake recorded them."""
    files = [
        *(root / f"data/jobs/{experiment}").rglob(f"{dataset}.tsv"),
        *(root / f"data/jobs/{experiment}").rglob(f"{dataset}_[0-9]*.tsv"),
    ]
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
    from hedgerow.reporting.manifest import checksums

    manifests = {p.stem: json.loads(p.read_text()) for p in sorted(folder.glob("*.json"))}
    if not manifests:
        raise DataError(
            f"{folder} holds no part", remedy="make one: hedgerow reference EXPERIMENT DATASET"
        )
    first = next(iter(manifests.values()))
    frames = []
    for dataset, manifest in manifests.items():
        for key in ("settings", "code"):
            mine, other = manifest[key], first[key]
            if key == "code":
                mine, other = (code.get("equal", code)["digest"] for code in (mine, other))
            if mine != other:
                raise DataError(
                    f"the parts {first['dataset']} and {dataset} in {folder} were made with "
                    f"different {key}",
                    remedy="make one of them again",
                )
        path = folder / f"{dataset}.parquet"
        recorded = next(v for k, v in manifest["files"].items() if "/results/" in k)
        if not path.is_file() or checksums(folder, [path.name])[path.name] != recorded:
            raise DataError(
                f"{path} is not the file that its manifest describes", remedy="make it again"
            )
        frames.append(pq.read_table(path).to_pandas())
    return pd.concat(frames, ignore_index=True), manifests


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
    from hedgerow.reporting import figures
    from hedgerow.reporting.manifest import checksums

    rows, manifests = read_parts(folder / "parts")
    settings = settings_of(root, experiment, configuration)
    made_with = next(iter(manifests.values()))["settings"]
    section = {k: v for k, v in made_with.items() if k not in ("seed", "configuration")}
    section["datasets"] = settings["datasets"]
    stated = (section, made_with["seed"], made_with["configuration"])
    read = [folder / f"parts/{dataset}_times.csv" for dataset in manifests]
    times = pd.concat(map(pd.read_csv, read))
    merged = {"soft": _merged_soft, "search": _merged_search}[experiment]
    tables, drawn = merged(root, rows, times, manifests, stated)
    outputs = []
    for name, table in tables.items():
        outputs.append(folder / f"{name}.csv")
        write_csv(outputs[-1], table)
    for name, figure in drawn.items():
        outputs.append(folder / f"{name}.svg")
        figures.save(figure, outputs[-1])
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


def _merged_soft(root, rows, times, manifests, stated) -> tuple[dict, dict]:
    """Tables and figures of experiments 1 and 2, by name."""
    from hedgerow.experiments.soft import figures as soft_figures
    from hedgerow.experiments.soft import plan as soft_plan
    from hedgerow.experiments.soft import statistics as soft_statistics
    from hedgerow.experiments.soft import tables as soft_tables
    from hedgerow.experiments.soft.claims import with_times

    plan = soft_plan.SoftPlan.from_config(*stated)
    published = {p.stem: pd.read_csv(p) for p in (root / "data/published").glob("thesis_table_3_*")}
    statistics = soft_statistics.statistics(rows, plan)
    sizes = pd.DataFrame([m["size"] for m in manifests.values()])
    calibrated = pd.DataFrame([m["calibration"] for m in manifests.values()])
    tables = {
        "thesis_table_3_1": soft_tables.of_sizes(
            sizes, calibrated, published["thesis_table_3_1"], plan
        ),
        "statistics": statistics,
        "soft_by_factor": soft_tables.soft_by_factor(rows),
    }
    for name in ("thesis_table_3_4", "thesis_table_3_5"):
        tables[name] = getattr(soft_tables, name)(rows, statistics, published, plan)
    if set(soft_plan.PRINTED) <= set(plan.methods):
        tables["soft_claims"] = with_times(rows, times, *_claims(root))
    both = pd.concat([published["thesis_table_3_4"], published["thesis_table_3_5"]])
    tables["running_times"] = soft_tables.soft_running_times(times, both)
    names = [f"thesis_figure_{number}" for number in ("3_5", "3_6", "3_9", "3_10")]
    return tables, {name: getattr(soft_figures, name)(rows, plan) for name in names}


def _merged_search(root, rows, times, manifests, stated) -> tuple[dict, dict]:
    """Tables and figures of chapter 4, by name."""
    from hedgerow.data import load_registry
    from hedgerow.experiments.search import figures as search_figures
    from hedgerow.experiments.search import plan as search_plan
    from hedgerow.experiments.search import statistics as search_statistics
    from hedgerow.experiments.search import tables as search_tables
    from hedgerow.experiments.search.claims import claims

    section, *rest = stated
    registry = load_registry(root / load_yaml(root / "config/default.yaml")["registry"])
    printed = published_keys(registry, "thesis4")
    plan = search_plan.SearchPlan.from_config({**section, "printed": printed}, *rest)
    published = {p.stem: pd.read_csv(p) for p in (root / "data/published").glob("thesis_table_4_*")}
    properties = pd.DataFrame(
        [(d, k, v) for d, m in manifests.items() for k, v in m["properties"].items()],
        columns=["dataset", "metric", "value"],
    )
    statistics = search_statistics.statistics(rows, plan)
    tables = {"statistics": statistics}
    for number in (1, 3, 5):
        name = f"thesis_table_4_{number}"
        tables[name] = getattr(search_tables, name)(rows, published, plan)
    for number in (2, 4, 6):
        name = f"thesis_table_4_{number}"
        tables[name] = getattr(search_tables, name)(statistics, published, plan)
    tables["thesis_table_4_7"] = search_tables.thesis_table_4_7(rows, properties, published, plan)
    tables["search_splits"] = search_tables.search_splits(rows, published, plan)
    tables["search_claims"] = claims(rows, properties, published, *_claims(root), plan)
    tables["running_times"] = search_tables.search_running_times(times, published, plan)
    names = [f"thesis_figure_4_{number}" for number in (3, 4, 5)]
    return tables, {name: getattr(search_figures, name)(rows, published, plan) for name in names}


def _claims(root: Path) -> tuple[dict[str, Any], pd.DataFrame]:
    """What judges claims, and what the papers state."""
    specification = load_yaml(root / "config/claims.yaml")
    return specification, pd.read_csv(root / "data/published/claims.csv")
