"""Settings, each stated once: at a field of the plan of its experiment.

::

    @dataclass(frozen=True)
    class SoftPlan(Plan):
        '''Experiments 1 and 2 of the thesis, noise in training or test data.'''

        section: ClassVar[str] = "soft"

        n_folds: int = setting(10, "Folds of the cross validations that tune.", minimum=2)

Annotation, default, meaning and bounds make the schema against which a configuration is checked,
`config/default.yaml` and the table of `config/README.md` (`hedgerow.workflow.generated`). They hold
for a plan that is built directly as well.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import math
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from hedgerow.errors import ConfigError
from hedgerow.experiments import WORDS

if TYPE_CHECKING:
    import jsonschema

#: Of the head of a configuration: given to every plan.
OF_ALL = ("configuration", "seed")


# ------------------------------------------------------------------------------- at a field


@dataclass(frozen=True)
class Setting:
    """What stands at the field of a setting, but for its name, annotation and default.

    Attributes
    ----------
    meaning : str
        Sentences for the manual.
    limits : dict
        Words of the JSON schema for the value, or for each item of a list.
    choices : tuple
        What it may be. A list of choices is put in their order.
    contains : object
        What a list has to hold.
    fewest : int
        Items of a list at least.
    descending : bool
        Whether a list of numbers is sorted from the largest; from the smallest otherwise.
    stated : bool
        Whether tables, captions and pages may state it: not how the work is cut into jobs and what
        is kept on disk, on which no result depends.
    """

    meaning: str
    limits: Mapping[str, Any]
    choices: tuple = ()
    contains: Any = None
    fewest: int = 1
    descending: bool = False
    stated: bool = True

    def schema(self, kind: Any) -> dict[str, Any]:
        """JSON schema of a value.

        Parameters
        ----------
        kind : type
            The annotation: bool, int, float, str, one of them or None, or a tuple of them.
        """
        if typing.get_origin(kind) is tuple:
            found = {"type": "array", "items": self._item(typing.get_args(kind)[0])}
            if self.contains is not None:
                found["contains"] = {"const": self.contains}
            return {**found, "minItems": self.fewest, "uniqueItems": True}
        return self._item(kind)

    def _item(self, kind: Any) -> dict[str, Any]:
        if self.choices:
            return {"enum": list(self.choices)}
        if isinstance(kind, types.UnionType):
            (one,) = (k for k in typing.get_args(kind) if k is not types.NoneType)
            found = self._item(one)
            return {**found, "type": [found["type"], "null"]}
        words = {bool: "boolean", int: "integer", float: "number", str: "string"}
        least = {"minLength": 1} if kind is str else {}
        return {"type": words[kind], **least, **self.limits}


def normal(value: Any, kind: Any, choices: tuple = (), descending: bool = False) -> Any:
    """A value as results depend on it: not on the order and the type of numbers in a file.

    Parameters
    ----------
    value : object
        As its schema allows.
    kind : type
        The annotation, as in `Setting.schema`.
    choices, descending
        As in `Setting`.

    Returns
    -------
    bool, int, float, str, None, or a tuple of them
    """
    if typing.get_origin(kind) is not tuple:
        kinds = typing.get_args(kind) or (kind,)
        number = next((k for k in (int, float) if k in kinds), None)
        return number(value) if number and isinstance(value, (int, float)) else value
    if choices:
        return tuple(choice for choice in choices if choice in value)
    item = typing.get_args(kind)[0]
    if item in (int, float):
        return tuple(sorted({item(v) for v in value}, reverse=descending))
    return tuple(value)


def setting(
    default: Any,
    meaning: str,
    *,
    minimum: float | None = None,
    exclusive_minimum: float | None = None,
    maximum: float | None = None,
    exclusive_maximum: float | None = None,
    pattern: str | None = None,
    choices: Iterable = (),
    contains: Any = None,
    fewest: int = 1,
    descending: bool = False,
    stated: bool = True,
) -> Any:
    """A field of a plan that the configuration sets.

    Parameters
    ----------
    default : object
        As `config/default.yaml` has it; a list as a tuple.
    meaning : str
        Sentences for the manual.
    minimum, exclusive_minimum, maximum, exclusive_maximum : float, optional
        Bounds of a number, or of each number of a list.
    pattern : str, optional
        Regular expression of a text.
    choices, contains, fewest, descending, stated : optional
        As in `Setting`.

    Returns
    -------
    dataclasses.Field
    """
    limits = {
        "minimum": minimum,
        "exclusiveMinimum": exclusive_minimum,
        "maximum": maximum,
        "exclusiveMaximum": exclusive_maximum,
        "pattern": pattern,
    }
    given = {word: limit for word, limit in limits.items() if limit is not None}
    found = Setting(meaning, given, tuple(choices), contains, fewest, descending, stated)
    return dataclasses.field(default=default, metadata={"setting": found})


# --------------------------------------------------------------------------------- the plans


class Conflict(NamedTuple):
    """A setting that does not fit another one: its full name, what is wrong, what to write."""

    setting: str
    message: str
    remedy: str


class _Given:
    """Fields of a plan that are no settings: known to the workflow, not to the user."""

    def __get__(self, plan: Plan | None, owner: type[Plan]) -> frozenset[str]:
        fields = {field.name for field in dataclasses.fields(owner)}
        return frozenset(fields - {*owner.settings(), *OF_ALL})


@dataclass(frozen=True)
class Plan:
    """Base of the plans: frozen data classes whose settings are the keys of one section.

    The docstring of a plan says in the manual what its section is about.

    Attributes
    ----------
    section : str
        Name of the section; empty for the head of the configuration.
    given : frozenset of str
        Fields that are no settings: taken, but not offered.
    configuration : str
        Name of the configuration, for captions.
    seed : int
        Global seed, from which every random draw is derived by name.

    Raises
    ------
    ConfigError
        If the value of a setting is not what its field says.
    """

    section: ClassVar[str] = ""
    given = _Given()

    configuration: str = "default"
    seed: int = 0

    def __post_init__(self):
        kinds = _kinds(type(self))
        for name, found in self.settings().items():
            value = getattr(self, name)
            _check(value, found.schema(kinds[name]), self.name_of(name))
            value = normal(value, kinds[name], found.choices, found.descending)
            object.__setattr__(self, name, value)

    @classmethod
    def from_config(cls, section: Mapping, seed: int, configuration_name: str) -> Self:
        """Build the plan from its section of a checked configuration.

        Parameters
        ----------
        section : mapping
            Keys as the fields of the plan. Settings that a step of the flow does not read may be
            left out.
        seed : int
        configuration_name : str

        Returns
        -------
        The plan.

        Raises
        ------
        ConfigError
            If a key is unknown or a value is out of range.
        """
        values = {key: value for key, value in section.items() if key not in OF_ALL}
        for key in values:
            if key not in {*cls.settings(), *cls.given}:
                raise ConfigError(
                    f"unknown setting `{cls.name_of(key)}`",
                    remedy=f"use one of {', '.join(sorted(cls.settings()))}",
                )
        return cls(**values, seed=int(seed), configuration=str(configuration_name))

    @classmethod
    def settings(cls) -> dict[str, Setting]:
        """Its settings by name, in the order of the manual: its own, then those it inherits."""
        fields = sorted(dataclasses.fields(cls), key=lambda f: f.name not in cls.__annotations__)
        found = {f.name: f.metadata.get("setting") for f in fields}
        return {name: value for name, value in found.items() if value is not None}

    @classmethod
    def unstated(cls) -> frozenset[str]:
        """Settings that no table, caption or page may state: no result depends on them."""
        return frozenset(name for name, found in cls.settings().items() if not found.stated)

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """JSON schema of its section: every setting is required, and no other is allowed."""
        kinds = _kinds(cls)
        defaults = {field.name: field.default for field in dataclasses.fields(cls)}
        return {
            "type": "object",
            "description": _one_line(inspect.getdoc(cls)),
            "additionalProperties": False,
            "required": list(cls.settings()),
            "properties": {
                name: {
                    "description": _one_line(found.meaning),
                    **found.schema(kinds[name]),
                    "default": _plain(defaults[name]),
                }
                for name, found in cls.settings().items()
            },
        }

    @classmethod
    def conflicts(cls, config: Mapping[str, Any]) -> Iterable[Conflict]:
        """Settings that do not fit others, of this section or another.

        Parameters
        ----------
        config : mapping
            A whole configuration whose settings are right one by one.

        Returns
        -------
        iterable of Conflict
            Nothing, unless a plan says more.
        """
        return ()

    @classmethod
    def name_of(cls, key: str) -> str:
        """Full name of a setting.

        >>> Plan.name_of("seed")
        'seed'
        """
        return f"{cls.section}.{key}".removeprefix(".")


def more_than_there_are(
    config: Mapping[str, Any], wanted: tuple[str, str], there: tuple[str, str]
) -> Iterator[Conflict]:
    """The conflict of an experiment that asks for more divisions than another one has.

    Parameters
    ----------
    config : mapping
    wanted, there : pair of str
        Section and setting.

    Yields
    ------
    Conflict
    """
    n_wanted, n_there = (config[section][key] for section, key in (wanted, there))
    if n_wanted > n_there:
        name, other = ".".join(wanted), ".".join(there)
        yield Conflict(
            name,
            f"`{name}` is {n_wanted} and `{other}` {n_there}",
            f"the divisions are those of `{other}`: use {n_there} or less",
        )


def sections() -> dict[str, type[Plan]]:
    """Plan of each experiment that has settings of its own, by its word, in the order of the page.

    Only modules of plans are imported, no step of an experiment.
    """
    found = {}
    for word in WORDS:
        module = importlib.import_module(f"hedgerow.experiments.{word}.plan")
        for value in vars(module).values():
            own = getattr(value, "__module__", None) == module.__name__
            if own and inspect.isclass(value) and issubclass(value, Plan) and value.section:
                found[word] = value
    return found


@functools.cache
def _kinds(plan: type[Plan]) -> dict[str, Any]:
    return typing.get_type_hints(plan)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _plain(value: Any) -> Any:
    """A value as YAML has it."""
    return list(value) if isinstance(value, tuple) else value


# ---------------------------------------------------------------------------------- messages


def _is_whole(_, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_, value: Any) -> bool:
    return _is_whole(_, value) or (isinstance(value, float) and math.isfinite(value))


@functools.cache
def validator() -> type[jsonschema.Draft202012Validator]:
    """The class that checks values against a schema.

    JSON schema takes 5.0 for a whole number, and YAML knows `.nan` and `.inf`: settings are
    neither.
    """
    from jsonschema import Draft202012Validator, validators

    checker = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_whole, "number": _is_number}
    )
    return validators.extend(Draft202012Validator, type_checker=checker)


def _check(value: Any, schema: Mapping[str, Any], name: str) -> None:
    errors = validator()(schema).iter_errors(_plain(value))
    for error in sorted(errors, key=place_of):
        shown, remedy = explained(error, schema)
        raise ConfigError(f"`{name}` is {shown}", remedy=remedy)


def place_of(error: jsonschema.ValidationError) -> list[str]:
    """Where an error is, to put many in order: a whole list before its items."""
    return [str(part) for part in error.absolute_path]


def explained(error: jsonschema.ValidationError, schema: Mapping[str, Any]) -> tuple[str, str]:
    """The value that is wrong, and what to write instead.

    Parameters
    ----------
    error : jsonschema.ValidationError
        Of a setting, or of an item of it.
    schema : mapping
        Of the whole setting: it explains a fault in an item as well.

    Returns
    -------
    shown, remedy : str
    """
    remedy = f"give {_article(describe(schema))}"
    if error.validator == "uniqueItems":
        remedy = "name each once"
    elif error.validator == "pattern":
        remedy = "use lower-case letters, digits, - and _"
    elif error.validator == "minItems":
        remedy = f"name at least {'one' if error.validator_value == 1 else error.validator_value}"
    return _shown(error.instance), remedy


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


def _shown(value: Any) -> str:
    import yaml

    if value is None:
        return "empty"
    text = str(value) if isinstance(value, str) else yaml.safe_dump(value, default_flow_style=True)
    text = text.strip().removesuffix("...").strip()
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"


def _article(words: str) -> str:
    needs_one = words.startswith(("list", "number", "whole", "text", "section", "value"))
    return f"a {words}" if needs_one else words
