"""Closed YAML: what a file that people write may hold, said once at the fields of a data class.

::

    @dataclass(frozen=True)
    class Reader:
        '''How one file is laid out.'''

        format: Literal["csv", "arff"] = "csv"
        skip_lines: int = setting(0, "Lines to pass over.", minimum=0)

`schema_of` makes a JSON schema of such a class, `violations` finds all that is wrong with what a
file holds, each with its place and remedy, and `build` makes an object of it. A key that is
unknown is a fault that names what comes near. Nothing in a file is evaluated as code.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import operator
import re
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NewType

from hedgerow.errors import HedgerowError
from hedgerow.texts import did_you_mean, legible

#: A name of something in data: a text, or a number, yes or no that YAML made of one.
Word = NewType("Word", str)

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
    is_shown : bool
        Whether tables, captions and pages may state it: not how the work is cut into jobs and what
        is kept on disk, on which no result depends.
    remedy : str
        What to write, where kind and limits do not say it.
    written : type
        The annotation of what the file holds, where the field holds something made of it.
    """

    meaning: str = ""
    limits: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    choices: tuple = ()
    contains: Any = None
    fewest: int = 0
    descending: bool = False
    is_shown: bool = True
    remedy: str = ""
    written: Any = None

    def schema(self, kind: Any, largest: float | None = None) -> dict[str, Any]:
        """JSON schema of a value."""
        kind = kind if self.written is None else self.written
        items = typing.get_args(kind)
        if typing.get_origin(kind) is not tuple:
            schema = self._one(kind, largest)
        else:
            schema = {"type": "array", "items": self._one(items[0], largest)}
            if self.contains is not None:
                schema["contains"] = {"const": self.contains}
            if items[-1] is ...:
                schema |= {"minItems": self.fewest, "uniqueItems": True}
            else:
                schema |= {"minItems": len(items), "maxItems": len(items)}
        return {**schema, "remedy": self.remedy} if self.remedy else schema

    def _one(self, kind: Any, largest: float | None) -> dict[str, Any]:
        if self.choices:
            return {"enum": list(self.choices)}
        of, inner = typing.get_origin(kind), typing.get_args(kind)
        if of is Literal:
            return {"enum": list(inner)}
        if of in (types.UnionType, typing.Union):
            return self._any([k for k in inner if k is not types.NoneType], kind, largest)
        if of is tuple:
            return dataclasses.replace(self, remedy="").schema(kind, largest)
        if of is Mapping:
            least = {"minProperties": self.fewest} if self.fewest else {}
            names = Setting().schema(inner[0])
            values = Setting(limits=self.limits, remedy=self.remedy)
            of_values = values.schema(inner[1], largest)
            return {
                **{"type": "object", "propertyNames": names, "additionalProperties": of_values},
                **least,
            }
        if dataclasses.is_dataclass(kind):
            return schema_of(kind, largest)
        if kind is Any:
            return {}
        bounds = {"minLength": 1} if kind is str and "pattern" not in self.limits else {}
        if kind in (int, float) and largest is not None:
            bounds = {"minimum": -largest, "maximum": largest}
        return {"type": _TYPES[kind], **bounds, **self.limits}

    def _any(self, kinds: list, kind: Any, largest: float | None) -> dict[str, Any]:
        schemas = [self._one(one, largest) for one in kinds]
        empty = types.NoneType in typing.get_args(kind)
        if len(schemas) > 1:
            return {"anyOf": schemas + [{"type": "null"}] * empty}
        if "enum" in schemas[0]:
            return {"enum": [*schemas[0]["enum"], None]}
        names = schemas[0]["type"]
        return {**schemas[0], "type": [*([names] if isinstance(names, str) else names), "null"]}


_TYPES: dict[Any, Any] = {
    **{bool: "boolean", int: "integer", float: "number", str: "string"},
    **{Word: ["string", "number", "boolean"], types.NoneType: "null"},
}


def setting(
    default: Any = dataclasses.MISSING,
    meaning: str = "",
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
    is_shown: bool = True,
    remedy: str = "",
    written: Any = None,
) -> Any:
    """A field that a file sets."""
    limits = {
        "minimum": minimum,
        "exclusiveMinimum": exclusive_minimum,
        "maximum": maximum,
        "exclusiveMaximum": exclusive_maximum,
        "pattern": pattern,
    }
    given = {word: limit for word, limit in limits.items() if limit is not None}
    order = (tuple(choices), contains, fewest, descending, is_shown, remedy, written)
    metadata = {"setting": Setting(meaning, given, *order)}
    if isinstance(default, (dict, list)):
        return dataclasses.field(default_factory=lambda: copy.copy(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def normal(value: Any, kind: Any, choices: tuple = (), descending: bool = False) -> Any:
    """A value as results depend on it: not on the order and the type of numbers in a file."""
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


# ------------------------------------------------------------------------------- of a class


@functools.cache
def field_types(owner: type) -> dict[str, Any]:
    """Annotations of a data class by field."""
    return typing.get_type_hints(owner)


def settings_of(owner: type) -> dict[str, Setting]:
    """What stands at the fields of a data class, by field; nothing but defaults at a plain one."""
    fields = (field for field in dataclasses.fields(owner) if field.init)
    return {field.name: field.metadata.get("setting", _PLAIN) for field in fields}


@functools.cache
def schema_of(owner: type, largest: float | None = None) -> dict[str, Any]:
    """JSON schema of a data class: a key for each field, and no other."""
    fields = {f.name: f for f in dataclasses.fields(owner) if f.init}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, f in fields.items() if _no_default(f)],
        "properties": {
            name: setting.schema(field_types(owner)[name], largest)
            for name, setting in settings_of(owner).items()
        },
    }


_PLAIN = Setting()


def _no_default(field: dataclasses.Field) -> bool:
    return field.default is field.default_factory is dataclasses.MISSING


def build(content: Any, kind: Any, place: tuple = ()) -> Any:
    """What a file holds, as an annotation has it: lists as tuples, sections as their classes."""
    of, inner = typing.get_origin(kind), typing.get_args(kind)
    if of in (types.UnionType, typing.Union):
        of_type = [kind for kind in inner if _is_of(content, kind)]
        return build(content, next((k for k in of_type if _fits(content, k)), of_type[0]), place)
    if of is tuple:
        return tuple(build(v, inner[0], (*place, i)) for i, v in enumerate(content))
    if of is Mapping:
        return {build(k, inner[0]): build(v, inner[1], (*place, k)) for k, v in content.items()}
    if not dataclasses.is_dataclass(kind):
        return word(content) if kind is Word else content
    fields = settings_of(kind)
    values = {
        key: build(value, fields[key].written or field_types(kind)[key], (*place, key))
        for key, value in content.items()
    }
    try:
        return kind(**values)
    except HedgerowError as error:
        where = f"`{_dotted(place)}`: " if place else ""
        raise type(error)(f"{where}{error.message}", error.remedy) from None


def word(value: Any) -> str:
    """A `Word` as data have it: YAML takes an unquoted yes for true."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def read(content: Any, kind: Any, source: str, error: type[HedgerowError]) -> Any:
    """What a file holds, checked whole and made."""
    for fault in violations(content, _plain(kind)):
        raise error(f"{source}: {fault.message()}", remedy=fault.remedy)
    try:
        return build(content, kind)
    except HedgerowError as refused:
        raise error(f"{source}: {refused.message}", remedy=refused.remedy) from None


# ------------------------------------------------------------------------------- what is wrong


@dataclass(frozen=True)
class Violation:
    """A key that nobody knows, is not there or is no name, or a value that is none for its key.

    Attributes
    ----------
    kind : {'unknown', 'missing', 'name', 'value'}
    place : tuple
        Keys and positions that lead to it, its own last.
    value : object
        What stands there.
    schema : mapping
        Of what has to stand there; of the section, where a key is unknown.
    remedy : str
    """

    kind: str
    place: tuple
    value: Any
    schema: Mapping[str, Any]
    remedy: str

    @property
    def name(self) -> str:
        """Its full name: `soft.n_folds`."""
        return name_of(self.place)

    def message(self, name: str | None = None) -> str:
        """What is wrong, in words; by its full name, or by another one."""
        name = self.name if name is None else name
        messages = {"unknown": f"unknown key `{name}`", "missing": f"`{name}` is missing"}
        messages |= {"name": f"`{name}` is no name"}
        return messages.get(self.kind) or f"`{name}` is {quoted_value(self.value)}"


def name_of(place: Iterable) -> str:
    """Full name of a place: an item of a list is named by its list, what is in it by its number.

    >>> name_of(("sources", 0, "kind")), name_of(("factors", 3))
    ('sources.1.kind', 'factors')
    """
    parts = list(place)
    while parts and isinstance(parts[-1], int):
        parts.pop()
    return _dotted(parts)


def _dotted(place: Iterable) -> str:
    parts = (str(p + 1) if isinstance(p, int) else str(p) for p in place)
    return ".".join(legible(" ".join(part.split())) for part in parts)


def violations(value: Any, schema: Mapping[str, Any], place: tuple = ()) -> list[Violation]:
    """All that is wrong with a value, misspelt keys first: they are missing ones as well.

    JSON schema takes 5.0 for a whole number, and YAML knows `.nan` and `.inf`: neither is right
    here.
    """
    problems = _iter_violations(value, schema, place, schema)
    return sorted(problems, key=lambda fault: fault.kind != "unknown")


def _iter_violations(
    value: Any, schema: Mapping, place: tuple, whole: Mapping
) -> Iterator[Violation]:
    """Of a value, a whole before its parts; what is said of an item is what its list takes."""
    if "anyOf" in schema:
        yield from _anyof_violations(value, schema, place, whole)
    elif not _is(value, schema):
        remedy = whole.get("remedy") or f"give {_article(describe(whole))}"
        yield Violation("value", place, value, schema, schema.get("remedy") or remedy)
    elif isinstance(value, Mapping):
        yield from _mapping_violations(value, schema, place)
    elif isinstance(value, list):
        yield from _array_violations(value, schema, place, whole)


def _anyof_violations(
    value: Any, schema: Mapping, place: tuple, whole: Mapping
) -> Iterator[Violation]:
    """Of a value that may be one of several: by the only one of its type, else by all of them."""
    alternatives = [list(_iter_violations(value, one, place, one)) for one in schema["anyOf"]]
    if not all(alternatives):
        return
    of_type = [i for i, one in enumerate(schema["anyOf"]) if _is(value, {"type": one.get("type")})]
    sections = [i for i in of_type if "properties" in schema["anyOf"][i]]
    if "remedy" not in schema and (len(of_type) == 1 or (of_type and sections == of_type)):
        # Of several sections the one is meant that has most of the keys.
        keys = [len({*schema["anyOf"][i].get("properties", ())} & {*value}) for i in sections]
        yield from alternatives[sections[keys.index(max(keys))] if sections else of_type[0]]
    else:
        remedy = schema.get("remedy") or f"give {_article(describe(whole))}"
        yield Violation("value", place, value, schema, remedy)


def _mapping_violations(value: Mapping, schema: Mapping, place: tuple) -> Iterator[Violation]:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    if len(value) < schema.get("minProperties", 0):
        yield Violation("value", place, value, schema, "name at least one")
    for key, inner in value.items():
        if key in properties:
            yield from _iter_violations(inner, properties[key], (*place, key), properties[key])
        elif others is False:
            yield _unknown_key_error(key, inner, properties, schema, place)
        else:
            names = schema.get("propertyNames", {})
            if not _is(key, names) and "enum" in names:
                yield _unknown_key_error(key, inner, names["enum"], schema, place)
            elif not _is(key, names):
                remedy = names.get("remedy", "quote it, if it is a text")
                yield Violation("name", (*place, str(key)), key, names, remedy)
            yield from _iter_violations(inner, others, (*place, str(key)), others)
    for key in schema.get("required", ()):
        if key not in value:
            remedy = properties[key].get("remedy") or f"give it: {describe(properties[key])}"
            yield Violation("missing", (*place, key), None, properties[key], remedy)


def _unknown_key_error(
    key: Any, value: Any, allowed: Iterable, schema: Mapping, place: tuple
) -> Violation:
    remedy = did_you_mean(str(key), allowed, f"use {' or '.join(sorted(allowed))}")
    return Violation("unknown", (*place, str(key)), value, schema, remedy)


def _array_violations(
    value: list, schema: Mapping, place: tuple, whole: Mapping
) -> Iterator[Violation]:
    least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
    comparable = [(isinstance(item, bool), item) for item in value]
    if schema.get("items", {}).get("type") == _TYPES[Word]:
        comparable = [word(item) for item in value]
    remedy = ""
    if "contains" in schema and schema["contains"]["const"] not in value:
        remedy = f"give {_article(describe(whole))}"
    elif not least <= len(value) <= most:
        least = "one" if least == 1 else least
        remedy = f"name at least {least}" if most == math.inf else f"give a list of {most}"
    elif schema.get("uniqueItems"):
        twice = any(item in comparable[:i] for i, item in enumerate(comparable))
        remedy = "name each once" if twice else ""
    if remedy:
        yield Violation("value", place, value, schema, schema.get("remedy") or remedy)
    for i, item in enumerate(value):
        yield from _iter_violations(item, schema.get("items", {}), (*place, i), whole)


def _is_of(value: Any, kind: Any) -> bool:
    """Whether a value by itself is of a kind, whatever limits its field has."""
    return _is(value, {key: v for key, v in _plain(kind).items() if key in ("type", "enum")})


def _fits(value: Any, kind: Any) -> bool:
    return not any(True for _ in _iter_violations(value, _plain(kind), (), {}))


@functools.cache
def _plain(kind: Any) -> dict[str, Any]:
    return _PLAIN.schema(kind)


def _is(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value by itself, without its parts, is what a schema says."""
    if "enum" in schema:
        options = [(isinstance(option, bool), option) for option in schema["enum"]]
        return (isinstance(value, bool), value) in options
    names = schema.get("type") or ()
    names = [names] if isinstance(names, str) else names
    if names and not any(_IS_OF[name](value) for name in names):
        return False
    if isinstance(value, str):
        fits = re.fullmatch(schema["pattern"], value) if "pattern" in schema else True
        return bool(fits) and schema.get("minLength", 0) <= len(value) <= schema.get(
            "maxLength", math.inf
        )
    if _is_number(value):
        return all(
            of(value, schema[limit]) for limit, (_, of) in _LIMITS.items() if limit in schema
        )
    return True


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


_IS_OF = {
    **{"integer": _is_whole, "number": _is_number, "null": lambda value: value is None},
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, Mapping),
}
_LIMITS = {
    "minimum": (">=", operator.ge),
    "exclusiveMinimum": (">", operator.gt),
    "maximum": ("<=", operator.le),
    "exclusiveMaximum": ("<", operator.lt),
}


def describe(schema: Mapping[str, Any], plural: bool = False) -> str:
    """What a setting takes, in words.

    >>> describe({"type": "array", "items": {"type": "number", "minimum": 0}})
    'list of numbers >= 0'
    """
    if "enum" in schema:
        return _or("null" if option is None else str(option) for option in schema["enum"])
    if "anyOf" in schema:
        return _or(describe(one, plural) for one in schema["anyOf"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _or(dict.fromkeys(describe({**schema, "type": one}, plural) for one in kind))
    if kind == "array":
        return _listed(schema)
    if kind == "object":
        return _named(schema, plural)
    words = _WORDS.get(kind, "value")
    if plural and words.endswith(("number", "value")):
        words += "s"
    most = schema.get("maximum", math.nan)
    if schema.get("minimum") == -most:
        return f"{words} of at most {_limit(most)} in size"
    for key, (sign, _) in _LIMITS.items():
        if key in schema:
            words += f"{' and' if words[-1].isdigit() else ''} {sign} {_limit(schema[key])}"
    return words


def _limit(limit: float) -> str:
    return str(limit) if abs(limit) < 1e13 else f"{limit:g}"


_WORDS = {
    **{"integer": "whole number", "number": "number", "string": "text"},
    **{"boolean": "true or false", "null": "null"},
}


def _or(options: Iterable[str]) -> str:
    options = list(options)
    return " or ".join([", ".join(options[:-1]), options[-1]] if options[1:] else options)


def _listed(schema: Mapping[str, Any]) -> str:
    number = f"{schema['maxItems']} " if "maxItems" in schema else ""
    words = f"list of {number}{describe(schema.get('items', {}), plural=True)}"
    if "contains" in schema:
        words += f", {schema['contains']['const']} among them"
    return words


def _named(schema: Mapping[str, Any], plural: bool) -> str:
    values = schema.get("additionalProperties")
    if values:
        return f"`name: value` lines, each value {_article(describe(values))}"
    return "sections" if plural else "section"


def quoted_value(value: Any) -> str:
    """A value as YAML has it, in a sentence."""
    import yaml

    if value is None:
        return "empty"
    text = str(value) if isinstance(value, str) else yaml.safe_dump(value, default_flow_style=True)
    text = " ".join(legible(text.strip().removesuffix("...")).split())
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"


def _article(words: str) -> str:
    needs_one = words.startswith(("list", "number", "whole", "text", "section", "value"))
    return f"a {words}" if needs_one else words
