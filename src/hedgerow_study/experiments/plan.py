"""Settings, each stated once: at a field of the plan of its experiment.

::

    @dataclass(frozen=True)
    class SoftPlan(Plan):
        '''Experiments 1 and 2 of the thesis, noise in training or test data.'''

        section: ClassVar[str] = "soft"

        n_folds: int = setting(10, "Folds of the cross validations that tune.", minimum=2)

Annotation, default, meaning and bounds make the schema against which a configuration is checked,
`config/default.yaml` and the table of `config/README.md`
(`hedgerow_study.workflow.showing.generated`). They hold for a plan that is built directly as well.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from hedgerow.errors import ConfigError
from hedgerow.schema import Setting, field_types, normal, setting, violations
from hedgerow_study.experiments import WORDS, module_of

__all__ = ["OF_ALL", "Conflict", "Plan", "in_chunks", "sections", "setting"]

#: Of the head of a configuration: given to every plan.
OF_ALL = ("configuration", "seed")


# --------------------------------------------------------------------------------- the plans


class Conflict(NamedTuple):
    """A setting that does not fit another one: its full name, what is wrong, what to write."""

    setting: str
    message: str
    remedy: str


class _RawSettings:
    """Fields of a plan that are no settings: known to the workflow, not to the user."""

    def __get__(self, plan: Plan | None, owner: type[Plan]) -> frozenset[str]:
        fields = {field.name for field in dataclasses.fields(owner)}
        return frozenset(fields - {*owner.settings(), *OF_ALL})


@dataclass(frozen=True)
class Plan:
    """Base of the plans: frozen data classes whose settings are the keys of one section.

    The docstring of a plan says in the manual what its section is about. A setting whose value is
    not what its field says raises a ConfigError.
    """

    section: ClassVar[str] = ""  # empty for the head of the configuration
    given = _RawSettings()  # fields that are no settings: taken, but not offered

    configuration: str = "default"  # its name, for captions
    seed: int = 0  # the global one, from which every random draw is derived by name

    def __post_init__(self):
        for name, option in self.settings().items():
            value, kind = getattr(self, name), field_types(type(self))[name]
            for fault in violations(_plain(value), option.schema(kind), (name,)):
                raise ConfigError(fault.message(self.name_of(name)), remedy=fault.remedy)
            value = normal(value, kind, option.choices, option.descending)
            object.__setattr__(self, name, value)

    @classmethod
    def from_config(cls, section: Mapping, seed: int, configuration_name: str) -> Self:
        """Build the plan from its section of a checked configuration."""
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
        settings = {f.name: f.metadata.get("setting") for f in fields}
        return {name: value for name, value in settings.items() if value is not None}

    @classmethod
    def hidden_settings(cls) -> frozenset[str]:
        """Settings that no table, caption or page may state: no result depends on them."""
        return frozenset(name for name, option in cls.settings().items() if not option.is_shown)

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """JSON schema of its section: every setting is required, and no other is allowed."""
        defaults = {field.name: field.default for field in dataclasses.fields(cls)}
        return {
            "type": "object",
            "description": _one_line(inspect.getdoc(cls)),
            "additionalProperties": False,
            "required": list(cls.settings()),
            "properties": {
                name: {
                    "description": _one_line(option.meaning),
                    **option.schema(field_types(cls)[name]),
                    "default": _plain(defaults[name]),
                }
                for name, option in cls.settings().items()
            },
        }

    @classmethod
    def conflicts(cls, config: Mapping[str, Any]) -> Iterable[Conflict]:
        """Settings that do not fit others, of this section or another."""
        return ()

    @classmethod
    def name_of(cls, key: str) -> str:
        """Full name of a setting.

        >>> Plan.name_of("seed")
        'seed'
        """
        return f"{cls.section}.{key}".removeprefix(".")


def in_chunks(repeats: str, default: int = 1) -> Any:
    """The setting that says how many repeats of an experiment a job runs."""
    return setting(
        default,
        f"{repeats} per job; a rest that fills no job runs one by one. Results do not depend on "
        "it. More repeats run new ones only, until a rest fills a job; with 1, always.",
        minimum=1,
        maximum=1_000_000,
        is_shown=False,
    )


@functools.cache
def sections() -> dict[str, type[Plan]]:
    """Plan of each experiment that has settings of its own, by its word, in the order of the page.

    Only modules of plans are imported, no step of an experiment.
    """
    plans = {}
    for word in WORDS:
        module = importlib.import_module(module_of(f"{word}.plan"))
        for value in vars(module).values():
            is_local = getattr(value, "__module__", None) == module.__name__
            if is_local and inspect.isclass(value) and issubclass(value, Plan) and value.section:
                plans[word] = value
    return plans


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _plain(value: Any) -> Any:
    """A value as YAML has it."""
    return list(value) if isinstance(value, tuple) else value
