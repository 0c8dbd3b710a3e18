"""Settings of the workflow: checked against the plans, and cut to what a rule uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.errors import ConfigError, DataError
from hedgerow.files import read_yaml
from hedgerow.schema import Violation, describe, quoted_value, violations
from hedgerow.texts import closest, did_you_mean
from hedgerow_study.experiments import PAPERS, WORDS, folder_of
from hedgerow_study.experiments.plan import Plan, sections, setting

COMMAND_LINE = "command line"
#: Field of the plans whose data sets are cohorts.
COHORTS = "cohorts"
#: Sections whose repeats are the samples of a set, where it has some.
BY_SAMPLE = ("soft", "noise_models")
_NOWHERE = object()


@dataclass(frozen=True)
class Head(Plan):
    """What holds for all experiments."""

    configuration: str = setting(
        "default",
        "Name of the configuration, for captions and labels.",
        pattern="[a-z0-9_-]+",
        remedy="use lower-case letters, digits, - and _",
    )
    seed: int = setting(
        20190, "Global seed; every random draw is derived from it by name.", minimum=0
    )
    registry: str = setting(
        "config/datasets.yaml",
        "The file that names every data set, its sources and its checksums.",
    )
    mirror: str | None = setting(
        None,
        "Folder with local copies, laid out `<data set>/<file>`; null asks the environment "
        "variable HEDGEROW_MIRROR, and without it the other sources.",
    )
    experiments: tuple[str, ...] = setting(
        PAPERS,
        "Experiments in the report and the manifest, each by the name of its section below. One "
        "that is left out is still there as a target of its own; `make extensions` runs all.",
        choices=WORDS,
    )


def config_schema() -> dict[str, Any]:
    """JSON schema of a whole configuration: the head, then a section of each plan."""
    schema = Head.schema()
    for word, plan in sections().items():
        schema["properties"][word] = plan.schema()
        schema["required"].append(word)
    return schema


def check_config(config: Mapping[str, Any], files: Sequence[str | Path] = ()) -> None:
    """Check the settings and say in one line what is wrong, where, and what to write instead.

    Each setting is checked by itself, then those that have to fit others, in the plans of the
    experiments that the configuration runs (`Plan.conflicts`).
    """
    for path in files:
        # Snakemake has merged them, and says nothing of a key that stands twice.
        read_yaml(path)
    schema = config_schema()
    for fault in violations(config, schema):
        raise _explained(fault, config, schema, files)
    for word, plan in sections().items():
        if word in config["experiments"]:
            for name, message, remedy in plan.conflicts(config):
                culprit = _culprit(name.split("."), config, files)
                raise ConfigError(f"{culprit}: {message}", remedy=remedy)


def check_datasets(
    config: Mapping[str, Any], registry: Iterable[str], files: Sequence[str | Path] = ()
) -> None:
    """Check that data sets called `(..._)dataset`, or listed in `(..._)datasets`, fit there."""
    registered = list(registry)
    for section, content in config.items():
        if not isinstance(content, Mapping):
            continue
        listed = _datasets_in(content).items()
        for key, name in [(key, name) for key, names in listed for name in names]:
            if name in registered:
                if isinstance(registry, Mapping):
                    _check_entry(registry[name], section, key, content, config, files)
                continue
            raise ConfigError(
                f"{_culprit([section, key], config, files)}: unknown data set `{name}` in "
                f"`{section}.{key}`",
                remedy=did_you_mean(
                    name, registered, "`hedgerow data list` shows all", always=True
                ),
            )


def _check_entry(entry, section: str, key: str, content: Mapping, config, files) -> None:
    """A data set that is known must also fit the experiment."""
    if section in sections() and COHORTS in sections()[section].given:
        if entry.cohort is None:
            raise ConfigError(
                f"{_culprit([section, key], config, files)}: `{entry.key}` is no cohort and "
                f"`{section}.{key}` takes sets with a `cohort` in the registry",
                remedy="leave it out, or say there what makes it one",
            )
    elif entry.task != "classification":
        raise ConfigError(
            f"{_culprit([section, key], config, files)}: `{entry.key}` is a {entry.task} "
            f"set and `{section}.{key}` takes sets with classes",
            remedy="`hedgerow data list --task classification` shows them",
        )
    wanted = content.get("n_repeats", 0) if section in BY_SAMPLE else 0
    if entry.n_samples is not None and wanted > entry.n_samples:
        raise ConfigError(
            f"{_culprit([section, 'n_repeats'], config, files)}: {wanted} repeats and "
            f"`{entry.key}` has {entry.n_samples} samples",
            remedy=f"set `{section}.n_repeats` to {entry.n_samples} or less",
        )


def settings(config: Mapping[str, Any], experiment: str, *keys: str) -> dict[str, Any]:
    """The settings that one rule uses, for its `params`: a change elsewhere leaves it alone."""
    section = {**config[experiment], "seed": config["seed"]}
    section["configuration"] = config["configuration"]
    for key in keys:
        if key not in section:
            raise ConfigError(
                f"a rule asks for the unknown setting `{experiment}.{key}`",
                remedy=f"state it in the plan, hedgerow/{folder_of(experiment)}/plan.py",
            )
    return {key: section[key] for key in sorted(keys)}


def datasets_of(config: Mapping[str, Any], section: str | None = None) -> set[str]:
    """Data sets that a section names as `(..._)dataset(s)`; those of all sections without one."""
    parts = config.values() if section is None else [config[section]]
    named = [v for part in parts if isinstance(part, Mapping) for v in _datasets_in(part).values()]
    return {name for names in named for name in names}


def _datasets_in(content: Mapping[str, Any]) -> dict[str, list[str]]:
    """Data sets of a section, by the setting that names them."""
    named = {key: content[key] for key in content if re.fullmatch(r"(.*_)?datasets?", key)}
    return {key: [v] if isinstance(v, str) else list(v) for key, v in named.items()}


def result_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """All settings but those on which no result depends, such as how work is cut into jobs."""
    left_out = {section: plan.hidden_settings() for section, plan in sections().items()}
    return {
        key: {k: v for k, v in value.items() if k not in left_out[key]}
        if key in left_out
        else value
        for key, value in config.items()
    }


def chunks(n_repeats: int, size: int) -> list[str]:
    """Names of the chunks into which repeats are cut, such as `000-004`; the rest one by one.

    A chunk that one more repeat would make larger, `005-006`, would be run again for it.

    >>> chunks(7, 3)
    ['000-002', '003-005', '006-006']
    >>> chunks(8, 3)
    ['000-002', '003-005', '006-006', '007-007']
    """
    whole = n_repeats - n_repeats % size
    starts = [*range(0, whole, size), *range(whole, n_repeats)]
    ends = [*range(size, whole + 1, size), *range(whole + 1, n_repeats + 1)]
    return [f"{first:03d}-{end - 1:03d}" for first, end in zip(starts, ends, strict=True)]


def published_keys(registry: Any, paper: str) -> dict[str, str]:
    """Key of data/published of each data set of a paper or chapter -> key in the registry."""
    keys_by_name = registry.published(paper)
    for name, keys in keys_by_name.items():
        if len(keys) > 1:
            raise ConfigError(
                f"`{name}` of {paper} is the published name of {', '.join(keys)}",
                remedy="name one of them in `published_as` of config/datasets.yaml",
            )
    return {name: keys[0] for name, keys in keys_by_name.items()}


def printed_sizes(registry: Any, papers: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """What the files of each data set of a paper hold: rows, variables, rows of each class.

    Returns: by paper and key of data/published; a name of several sets has the first one. A set
        whose rows are drawn has no rows of its own and is left out.
    """
    sizes: dict[str, dict[str, dict[str, Any]]] = {}
    for paper in papers:
        entries = {name: registry[keys[0]] for name, keys in registry.published(paper).items()}
        sizes[paper] = {
            name: {
                "rows": entry.n_rows,
                "variables": len({*entry.profile, *entry.categories}),
                "classes": sorted(entry.class_counts),
            }
            for name, entry in entries.items()
            if entry.n_samples is None and entry.class_counts
        }
    return sizes


def cohort_facts(registry: Any, datasets: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What makes cohorts of data sets, `cohort` of config/datasets.yaml, by their keys."""
    return {dataset: registry[dataset].cohort.to_dict() for dataset in datasets}


def repeats_of(chunk: str) -> range:
    """Repeats of a chunk.

    >>> list(repeats_of("002-004"))
    [2, 3, 4]
    """
    first, last = chunk.split("-")
    return range(int(first), int(last) + 1)


# ------------------------------------------------------------------------------------ messages


def configured(root: Path, configuration: str) -> dict[str, Any]:
    """All settings: config/default.yaml, extended by another file."""
    default, extended = (
        read_yaml(root / f"config/{name}.yaml") for name in ("default", configuration)
    )
    return {
        key: {**value, **extended.get(key, {})}
        if isinstance(value, dict)
        else extended.get(key, value)
        for key, value in default.items()
    }


def settings_of(root: Path, experiment: str, configuration: str) -> dict[str, Any]:
    """Settings of an experiment, with `seed` and `configuration`."""
    config = configured(root, configuration)
    return {**config[experiment], "seed": config["seed"], "configuration": config["configuration"]}


def check_project(root: Path) -> None:
    """See that a command was called in the folder of a project."""
    if not (root / "config/default.yaml").is_file():
        raise DataError(
            "this folder is no hedgerow project: it has no config/default.yaml",
            remedy="change to the folder that holds the Snakefile",
        )


def walk(schema: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Every setting of a schema with its full name, sections before their content."""
    for key, value in schema.get("properties", {}).items():
        yield prefix + key, value
        yield from walk(value, f"{prefix}{key}.")


def _explained(fault: Violation, config: Mapping, schema: Mapping, files: Sequence) -> ConfigError:
    keys = [key for key in fault.place if isinstance(key, str)]
    culprit = _culprit(keys[:-1] if fault.kind == "missing" else keys, config, files)
    if fault.kind == "missing":
        return ConfigError(f"{culprit}: setting `{fault.name}` is missing", remedy=fault.remedy)
    if fault.kind == "unknown":
        closest_name = _closest(fault.name, settings := dict(walk(schema)))
        remedy = "config/README.md lists all settings"
        if closest_name is not None:
            remedy = f"did you mean `{closest_name}`? ({describe(settings[closest_name])})"
        return ConfigError(f"{culprit}: unknown setting `{fault.name}`", remedy=remedy)
    number = None
    one = fault.schema.get("type") != "array"
    if isinstance(fault.value, str) and one and "number" in describe(fault.schema):
        number = _number(fault.value)
    if number is None:
        return ConfigError(f"{culprit}: {fault.message()}", remedy=fault.remedy)
    # YAML reads 1e-3 as a text: it wants a point.
    remedy = f"write it as {number:g}" if "e" in fault.value else "write no quotes"
    if culprit == COMMAND_LINE:
        remedy = "`--config` makes texts of values inside sections: use a file and --configfile"
    return ConfigError(
        f"{culprit}: `{fault.name}` is the text {quoted_value(fault.value)}", remedy=remedy
    )


def _closest(name: str, names: Iterable[str]) -> str | None:
    """The setting most like a misspelt one: in its section first, by whole key or by a word."""
    section, _, key = name.rpartition(".")
    inside = {k.rpartition(".")[2]: k for k in names if k.rpartition(".")[0] == section}
    words = {word: full for key_, full in inside.items() for word in key_.split("_")}
    # Sections share names of settings: the first section has it.
    anywhere = {k.rpartition(".")[2]: k for k in reversed([*names])}
    for candidates in (inside, words, anywhere):
        for match in closest(key, sorted(candidates)):
            return candidates[match]
    return None


def _culprit(place: Sequence[str], config: Mapping, files: Sequence[str | Path]) -> str:
    """The first file that gives a setting its value; what no file gives came with `--config`."""
    wanted = _value_at(place, config)
    for path in files:
        if _value_at(place, read_yaml(path)) == wanted:
            return _relative(path)
    return COMMAND_LINE if files else "configuration"


def _value_at(place: Sequence[str], content: Any) -> Any:
    """Value of a setting; the content of sections may be merged from files, so they only count
    as there or not there."""
    for key in place:
        if not isinstance(content, Mapping) or key not in content:
            return _NOWHERE
        content = content[key]
    return Mapping if isinstance(content, Mapping) else content


def _relative(path: str | Path) -> str:
    path = Path(path)
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
