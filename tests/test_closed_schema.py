"""Closed YAML: schemas of data classes, faults with culprit and remedy, what is made of it."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from effort import draws
from jsonschema import Draft202012Validator

from hedgerow.errors import ConfigError, DataError, InputError
from hedgerow.schema import Word, build, describe, name_of, read, schema_of, setting, violations


@dataclass(frozen=True)
class Inner:
    name: str
    share: float = setting(0.5, minimum=0, exclusive_maximum=1)
    span: tuple[float | None, float | None] = (None, None)

    def __post_init__(self):
        if self.name == "bad":
            raise InputError("`name` is bad", remedy="call it good")


@dataclass(frozen=True)
class Outer:
    rows: int
    kind: Literal["one", "two"] = "one"
    code: str | None = setting(None, pattern="[a-z]+", remedy="use lower-case letters")
    labels: Mapping[Word, Word] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    many: tuple[Inner, ...] = ()
    one: Inner | None = None
    counts: Mapping[str, int] | tuple[Word, ...] = ()
    few: tuple[int, ...] = setting((1, 2), contains=1, fewest=2)
    free: Any = None
    flag: bool = False


WHOLE = {
    **{"rows": 3, "kind": "two", "code": "ab", "labels": {0: 1, "a": True}, "names": ["x", "y"]},
    "many": [{"name": "x"}, {"name": "y", "share": 0, "span": [1, None]}],
    **{"one": {"name": "z"}, "counts": {"a": 1}, "few": [2, 1], "free": [{}], "flag": True},
}


def said(content, kind=Outer) -> str:
    with pytest.raises(DataError) as caught:
        read(content, kind, "a.yaml", DataError)
    assert "\n" not in str(caught.value) and caught.value.remedy
    return str(caught.value)


def test_what_is_right_becomes_the_class():
    found = read(WHOLE, Outer, "a.yaml", ConfigError)
    assert found.many == (Inner("x"), Inner("y", 0, (1, None)))
    assert found.labels == {"0": "1", "a": "yes"} and found.names == ("x", "y")
    assert found.counts == {"a": 1} and found.one == Inner("z")
    assert read({"rows": 1, "counts": [1, "b"]}, Outer, "", ConfigError).counts == ("1", "b")
    assert build({"rows": 1}, Outer) == Outer(1)


def test_limits_of_a_field_do_not_say_of_which_kind_a_value_is():
    """A list with an empty text in it stayed a list, where its field allows such texts."""

    @dataclass(frozen=True)
    class Empties:
        where: Mapping[str, str | tuple[str, ...]] = setting(pattern=r"[\s\S]*")

    found = read({"where": {"a": ["", "b"], "c": ""}}, Empties, "", ConfigError)
    assert found.where == {"a": ("", "b"), "c": ""}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"row": 1}, "unknown key `row`; did you mean `rows`?"),
        ({"rows": None}, "`rows` is empty; give a whole number"),
        ({"rows": 2.0}, "`rows` is `2.0`; give a whole number"),
        ({"rows": True}, "`rows` is `true`; give a whole number"),
        ({"kind": "three"}, "`kind` is `three`; give one or two"),
        ({"code": "a\nb"}, "`code` is `a b`; use lower-case letters"),
        ({"code": ""}, "`code` is ``; use lower-case letters"),
        ({"labels": {"a": [1]}}, "`labels.a` is `[1]`; give a text, number or true or false"),
        ({"labels": "a"}, "`labels` is `a`; give `name: value` lines, each value a text, number"),
        ({"names": "x"}, "`names` is `x`; give a list of text"),
        ({"names": ["x", "x"]}, "`names` is `[x, x]`; name each once"),
        ({"names": ["x", 1]}, "`names` is `1`; give a list of text"),
        ({"many": [{"name": "x"}, {}]}, "`many.2.name` is missing; give it: text"),
        ({"many": [{"name": "x", "shar": 1}]}, "unknown key `many.1.shar`; did you mean `share`?"),
        (
            {"many": [{"name": "x", "share": 1}]},
            "`many.1.share` is `1`; give a number >= 0 and < 1",
        ),
        ({"one": {"name": "x", "span": [1]}}, "`one.span` is `[1]`; give a list of 2"),
        ({"one": {"name": "x", "span": [1, "a"]}}, "`one.span` is `a`; give a list of 2 numbers"),
        ({"one": {"name": "bad"}}, "`one`: `name` is bad; call it good"),
        ({"counts": {"a": 0.5}}, "`counts.a` is `0.5`; give a whole number"),
        ({"counts": {1: 1}}, "`counts.1` is no name; quote it, if it is a text"),
        ({"counts": 3}, "`counts` is `3`; give `name: value` lines, each value a whole number or"),
        ({"few": [1]}, "`few` is `[1]`; name at least 2"),
        ({"few": [2, 3]}, "`few` is `[2, 3]`; give a list of whole numbers, 1 among them"),
        ({"flag": "no"}, "`flag` is `no`; give true or false"),
    ],
)
def test_one_sentence_for_each_fault(changes, sentence):
    assert said({**WHOLE, **changes}).startswith(f"a.yaml: {sentence}")


def test_a_misspelt_key_comes_before_what_is_missing():
    content = {**WHOLE, "rwos": 3}
    del content["rows"]
    assert [fault.kind for fault in violations(content, schema_of(Outer))] == ["unknown", "missing"]


def test_a_number_beyond_use():
    found = violations({"rows": 10**30}, schema_of(Outer, 1e15))
    assert [fault.remedy for fault in found] == ["give a whole number of at most 1e+15 in size"]


def test_names_of_places_are_one_line():
    assert name_of(("a\nb", 0, "c\x1b", 4)) == "a b.1.c\\x1b"


WILD = [None, True, 0, -1, 2.5, "", "x", "one", [], [1, 2], ["x", "x"], {}, {"a": 1}, {"name": "x"}]


def places(value, place=()):
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*place, key)
            yield from places(inner, (*place, key))


@pytest.mark.parametrize("seed", draws(400))
def test_faults_are_those_of_json_schema(seed):
    """Of values that both take in the same way: texts as keys, no 5.0 for 5."""
    chance, content = random.Random(seed), copy.deepcopy(WHOLE)
    content["labels"] = {"0": "b"}
    for _ in range(3):
        *outer, last = chance.choice([*places(content), ("new",)])
        inner = content
        for key in outer:
            inner = inner[key]
        inner[last] = copy.deepcopy(chance.choice(WILD))
    schema = schema_of(Outer)
    theirs = [*Draft202012Validator(schema).iter_errors(content)]
    found = violations(content, schema)
    assert bool(found) == bool(theirs)
    ours = {fault.place for fault in found if fault.kind == "value"}
    wrong = {tuple(e.absolute_path) for e in theirs if e.validator in ("type", "enum", "minimum")}
    assert wrong <= ours


def test_a_schema_says_what_it_takes():
    assert describe(schema_of(Outer)["properties"]["many"]) == "list of sections"
    assert describe(schema_of(Outer)["properties"]["code"]) == "text or null"
