"""From a section of the checked configuration to the settings that an experiment takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import ClassVar, Self

from hedgerow.errors import ConfigError

#: Set by the caller, or how jobs are cut: no settings of an experiment.
APART = frozenset({"seed", "configuration", "chunk"})


class Plan:
    """Base of the plans: frozen data classes whose fields are the keys of one section.

    Attributes
    ----------
    section : str
        Name of the section, for messages.
    passed_over : set of str
        Keys of the section that `from_config` takes and does not use.
    given : set of str
        Fields that are no settings of the user's: taken, but not offered.
    """

    section: ClassVar[str]
    passed_over: ClassVar[frozenset[str]] = APART
    given: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def from_config(cls, section: Mapping, seed: int, configuration_name: str) -> Self:
        """Build the plan from its section of a checked configuration.

        Parameters
        ----------
        section : mapping
            Keys as the fields of the plan; those in `passed_over` are taken and not used.
            Settings that a step of the flow does not read may be left out.
        seed : int
            Not used by a plan without a field `seed`.
        configuration_name : str

        Returns
        -------
        The plan.

        Raises
        ------
        ConfigError
            If a key is unknown or a value is out of range.
        """
        fields = {field.name for field in dataclasses.fields(cls)}
        known = fields - APART
        section = {key: value for key, value in section.items() if key not in cls.passed_over}
        for key in section:
            if key not in known:
                raise ConfigError(
                    f"unknown setting `{cls.section}.{key}`",
                    remedy=f"use one of {', '.join(sorted(known - cls.given))}",
                )
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in section.items()}
        if "seed" in fields:
            values["seed"] = int(seed)
        return cls(**values, configuration=str(configuration_name))
