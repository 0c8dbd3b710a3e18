"""Settings of the workflow: checked against the schema, and cut to what a rule uses."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from hedgerow.errors import ConfigError

COMMAND_LINE = "command line"
_NOWHERE = object()


def check_config(
    config: Mapping[str, Any],
    schema: str | Path,
    files: Sequence[str | Path] = (),
) -> None:
    """Check the settings and say in one line what is wrong, where, and what to write instead.

    Parameters
    ----------
    config : mapping
        The merged configuration.
    schema : path
        The YAML file of the JSON schema.
    files : sequence of path, optional
        Configuration files, those of the command line first and the default last; the first one
        that holds the faulty setting is named as the culprit.

    Raises
    ------
    ConfigError
        For the first unknown or missing setting or value out of range.
    """
    schema = load_yaml(schema)
    validator = jsonschema.Draft202012Validator(schema)
    # Unknown keys first: a misspelt key is also a missing one, and the misspelling is the cause.
    errors = sorted(
        validator.iter_errors(config),
        key=lambda e: (e.validator != "additionalProperties", [str(p) for p in e.absolute_path]),
    )
    for error in errors:
        raise _explained(error, config, schema, files)


def check_datasets(
    config: Mapping[str, Any], registry: Iterable[str], files: Sequence[str | Path] = ()
) -> None:
    """Check that every data set called `(..._)dataset`, or in a list `(..._)datasets`, fits there.

    Parameters
    ----------
    config : mapping
        A configuration that `check_config` has passed.
    registry : mapping of str to `hedgerow.data.DatasetEntry`, or its keys
        With the entries, task and number of samples are checked as well.
    files : sequence of path, optional
        As in `check_config`.

    Raises
    ------
    ConfigError
        For the first data set that is unknown, has no classes to learn (a survival set), or is
        a synthetic set with fewer samples than permutations are asked for.
    """
    known = list(registry)
    for section, content in config.items():
        if not isinstance(content, Mapping):
            continue
        named = {key: content[key] for key in content if re.fullmatch(r"(.*_)?datasets?", key)}
        listed_in = {k: [v] if isinstance(v, str) else v for k, v in named.items()}
        for key, name in [(key, name) for key, names in listed_in.items() for name in names]:
            if name in known:
                if isinstance(registry, Mapping):
                    _check_entry(registry[name], section, key, content, config, files)
                continue
            guess = difflib.get_close_matches(name, known, n=1)
            listed = "`hedgerow data list` shows all"
            raise ConfigError(
                f"{_culprit([section, key], config, files)}: unknown data set `{name}` in "
                f"`{section}.{key}`",
                remedy=f"did you mean `{guess[0]}`? ({listed})" if guess else listed,
            )


def _check_entry(entry, section: str, key: str, content: Mapping, config, files) -> None:
    """A data set that is known must also fit the experiment."""
    if entry.task != "classification":
        raise ConfigError(
            f"{_culprit([section, key], config, files)}: `{entry.key}` is a {entry.task} "
            f"set and `{section}.{key}` takes sets with classes",
            remedy="`hedgerow data list --task classification` shows them",
        )
    wanted = content.get("n_permutations", 0)
    if entry.n_samples is not None and wanted > entry.n_samples:
        raise ConfigError(
            f"{_culprit([section, 'n_permutations'], config, files)}: {wanted} permutations and "
            f"`{entry.key}` has {entry.n_samples} samples",
            remedy=f"set `{section}.n_permutations` to {entry.n_samples} or less",
        )


def check_noise(config: Mapping[str, Any], files: Sequence[str | Path] = ()) -> None:
    """Check that the sweep of the pruning confidence, if asked for, finds its noised samples.

    Parameters
    ----------
    config : mapping
        A configuration that `check_config` has passed.
    files : sequence of path, optional
        As in `check_config`.

    Raises
    ------
    ConfigError
        For the first noise factor of `soft_sweep` for which `soft` draws no samples.
    """
    if "soft_sweep" not in config["experiments"]:
        return
    there = config["soft"]["noise_factors"]
    for factor in config["soft_sweep"]["noise_factors"]:
        if factor not in there:
            culprit = _culprit(["soft_sweep", "noise_factors"], config, files)
            raise ConfigError(
                f"{culprit}: `soft_sweep.noise_factors` holds {factor:g}, which is not in "
                f"`soft.noise_factors` ({', '.join(f'{n:g}' for n in there)})",
                remedy="the sweep learns from the samples of soft: use factors of that list",
            )


def check_permutations(config: Mapping[str, Any], files: Sequence[str | Path] = ()) -> None:
    """Check that an experiment that shares the divisions of another asks for no more of them.

    Parameters
    ----------
    config : mapping
        A configuration that `check_config` has passed.
    files : sequence of path, optional
        As in `check_config`.

    Raises
    ------
    ConfigError
        If `soft_beyond` asks for more permutations than `soft`, or the stability of learners for
        more divisions than `structure_beyond` has.
    """
    for wanted, there in (
        (("soft_beyond", "n_permutations"), ("soft", "n_permutations")),
        (("structure_beyond", "stability_splits"), ("structure_beyond", "n_splits")),
    ):
        n_wanted, n_there = (config[section][key] for section, key in (wanted, there))
        if wanted[0] in config["experiments"] and n_wanted > n_there:
            raise ConfigError(
                f"{_culprit(list(wanted), config, files)}: `{'.'.join(wanted)}` is {n_wanted} and "
                f"`{'.'.join(there)}` {n_there}",
                remedy=f"the divisions are those of `{'.'.join(there)}`: use {n_there} or less",
            )


def load_yaml(path: str | Path) -> Any:
    """Content of a YAML file."""
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def settings(config: Mapping[str, Any], experiment: str, *keys: str) -> dict[str, Any]:
    """The settings that one rule uses, for its `params`: a change elsewhere leaves it alone.

    Parameters
    ----------
    config : mapping
        The checked configuration.
    experiment : str
        Name of a section, such as `soft`.
    *keys : str
        Settings of the section; `seed` and `configuration` are those of the whole workflow.

    Returns
    -------
    dict, sorted by key

    Raises
    ------
    ConfigError
        If the section has no such setting.
    """
    section = {**config[experiment], "seed": config["seed"]}
    section["configuration"] = config["configuration"]
    for key in keys:
        if key not in section:
            raise ConfigError(
                f"a rule asks for the unknown setting `{experiment}.{key}`",
                remedy="name it in workflow/schemas/config.schema.yaml and config/default.yaml",
            )
    return {key: section[key] for key in sorted(keys)}


def chunks(n_permutations: int, size: int) -> list[str]:
    """Names of the chunks into which the permutations are cut, such as `000-004`.

    >>> chunks(5, 2)
    ['000-001', '002-003', '004-004']
    """
    starts = range(0, n_permutations, size)
    return [f"{start:03d}-{min(start + size, n_permutations) - 1:03d}" for start in starts]


def published_keys(registry: Any, paper: str) -> dict[str, str]:
    """Key of data/published of each data set of a paper or chapter -> key in the registry.

    Parameters
    ----------
    registry : hedgerow.data.Registry
    paper : str
        As in `published_as` of config/datasets.yaml, such as `thesis4`.

    Returns
    -------
    dict, sorted by published key

    Raises
    ------
    ConfigError
        If two sets bear the same published key.
    """
    found = registry.published(paper)
    for name, keys in found.items():
        if len(keys) > 1:
            raise ConfigError(
                f"`{name}` of {paper} is the published name of {', '.join(keys)}",
                remedy="name one of them in `published_as` of config/datasets.yaml",
            )
    return {name: keys[0] for name, keys in found.items()}


def attempts_at(wildcards: Any) -> int:
    """Attempts at a data set that was not to be had, for the `params` of rule fetch."""
    from hedgerow.workflow.jobs import attempt

    return attempt(f"data/raw/{wildcards.dataset}/source.json")


def permutations_of(chunk: str) -> range:
    """Permutations of a chunk.

    >>> list(permutations_of("002-004"))
    [2, 3, 4]
    """
    first, last = chunk.split("-")
    return range(int(first), int(last) + 1)


# ------------------------------------------------------------------------------------ messages


def describe(schema: Mapping[str, Any], plural: bool = False) -> str:
    """What a setting takes, in words.

    >>> describe({"type": "array", "items": {"type": "number", "minimum": 0}})
    'list of numbers >= 0'
    """
    if "enum" in schema:
        options = [str(option) for option in schema["enum"]]
        return " or ".join([", ".join(options[:-1]), options[-1]] if options[1:] else options)
    kind = schema.get("type")
    if isinstance(kind, list):
        others = [k for k in kind if k != "null"]
        return f"{describe({**schema, 'type': others[0]})} or null"
    if kind == "array":
        words = f"list of {describe(schema.get('items', {}), plural=True)}"
        if "contains" in schema:
            words += f", {schema['contains']['const']} among them"
        return words
    if kind == "object":
        return "section"
    if kind == "boolean":
        return "true or false"
    words = {"integer": "whole number", "number": "number", "string": "text"}.get(kind, "value")
    if plural and kind != "string":
        words += "s"
    for key, sign in (
        ("minimum", ">="),
        ("exclusiveMinimum", ">"),
        ("maximum", "<="),
        ("exclusiveMaximum", "<"),
    ):
        if key in schema:
            words += f"{' and' if words[-1].isdigit() else ''} {sign} {schema[key]}"
    return words


def walk(schema: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Every setting of a schema with its full name, sections before their content."""
    for key, value in schema.get("properties", {}).items():
        yield prefix + key, value
        yield from walk(value, f"{prefix}{key}.")


def _explained(
    error: jsonschema.ValidationError, config: Mapping, schema: Mapping, files: Sequence
) -> ConfigError:
    place = [p for p in error.absolute_path if isinstance(p, str)]
    if error.validator == "additionalProperties":
        unknown = sorted(set(error.instance) - set(error.schema.get("properties", {})))[0]
        name = ".".join([*place, unknown])
        guess = _closest(name, dict(walk(schema)))
        message = f"{_culprit([*place, unknown], config, files)}: unknown setting `{name}`"
        if guess is None:
            return ConfigError(message, remedy="config/README.md lists all settings")
        return ConfigError(
            message, remedy=f"did you mean `{guess}`? ({describe(dict(walk(schema))[guess])})"
        )
    if error.validator == "required":
        missing = sorted(set(error.validator_value) - set(error.instance))[0]
        name = ".".join([*place, missing])
        return ConfigError(
            f"{_culprit(place, config, files)}: setting `{name}` is missing",
            remedy=f"give it: {describe(dict(walk(schema))[name])}",
        )
    name = ".".join(place)
    # A fault in an item of a list is explained by what the whole list takes.
    expected = dict(walk(schema)).get(name, error.schema)
    remedy = f"give {_article(describe(expected))}"
    if error.validator == "uniqueItems":
        remedy = "name each once"
    elif error.validator == "pattern":
        remedy = "use lower-case letters, digits, - and _"
    elif error.validator == "minItems":
        remedy = "name at least one"
    culprit = _culprit(place, config, files)
    shown = _shown(error.instance)
    if isinstance(error.instance, str) and "number" in describe(error.schema):
        number = _number(error.instance)
        if number is not None and culprit == COMMAND_LINE:
            shown = f"the text {shown}"
            remedy = "`--config` makes texts of values inside sections: use a file and --configfile"
        elif number is not None:
            # YAML reads 1e-3 as a text: it wants a point.
            shown = f"the text {shown}"
            remedy = f"write it as {number:g}" if "e" in error.instance else "write no quotes"
    return ConfigError(f"{culprit}: `{name}` is {shown}", remedy=remedy)


def _closest(name: str, known: Iterable[str]) -> str | None:
    """The setting most like a misspelt one: in its section first, by whole key or by a word."""
    section, _, key = name.rpartition(".")
    inside = {k.rpartition(".")[2]: k for k in known if k.rpartition(".")[0] == section}
    words = {word: full for key_, full in inside.items() for word in key_.split("_")}
    # Sections share names of settings: the first section has it.
    anywhere = {k.rpartition(".")[2]: k for k in reversed([*known])}
    for candidates in (inside, words, anywhere):
        match = difflib.get_close_matches(key, sorted(candidates), n=1)
        if match:
            return candidates[match[0]]
    return None


def _culprit(place: Sequence[str], config: Mapping, files: Sequence[str | Path]) -> str:
    """The first file that gives a setting its value; what no file gives came with `--config`."""
    wanted = _value_at(place, config)
    for path in files:
        if _value_at(place, load_yaml(path)) == wanted:
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


def _shown(value: Any) -> str:
    if value is None:
        return "empty"
    text = str(value) if isinstance(value, str) else yaml.safe_dump(value, default_flow_style=True)
    text = text.strip().removesuffix("...").strip()
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"


def _article(words: str) -> str:
    needs_one = words.startswith(("list", "number", "whole", "text", "section", "value"))
    return f"a {words}" if needs_one else words


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
