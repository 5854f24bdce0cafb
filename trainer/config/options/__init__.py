"""Training options as data, from which the command line, the Launch form and the checks are generated.

A configuration is composed of small groups, one per module of this package; `trainer.config.training` lists them.
"""

import dataclasses
import difflib
import re
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

from diagnostics.told import told

Scalar = type[int] | type[float] | type[bool] | type[str]

_NAMES: dict[Any, str] = {
    int: told("a whole number"),
    float: told("a number"),
    bool: told("true or false"),
    str: told("text"),
}
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_NOTHING = {"", "none", "null"}
_COMMA = re.compile(r",(?![^(\[{]*[)\]}])")  # one within brackets belongs to a regular expression: regex:\d{1,3}


class ConfigError(ValueError):
    """A training cannot start as described; the message is one sentence that says what to change."""


class Section(StrEnum):
    """The headings of the Launch form, in order."""

    MODEL_AND_DATA = "Model and data"
    SAMPLING = "Sampling"
    REWARDS = "Rewards and advantages"
    LOSS = "Loss and KL penalty"
    OPTIMIZER = "Optimizer and schedule"
    EVALUATION = "Evaluation"
    OUTPUTS = "Saving and logging"
    MACHINE = "Machine"
    FAULT = "Sick on purpose"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a training.

    `kind` is the type of its value, or of its items where `many`. `choices`, `minimum`, `maximum` and `above` (an
    excluded lower bound) bound the value; None is allowed only where `optional`. The Launch form shows a `main` option
    at the top, and the others folded below the heading of their section.
    """

    name: str
    kind: Scalar
    default: Any
    help: str
    section: Section
    many: bool = False
    optional: bool = False
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    main: bool = False

    @property
    def meaning_of_empty(self) -> str:
        """What an empty value means: the last clause of the help, where that says so."""
        return self.help.partition("empty: ")[2].rstrip(".")

    def parse(self, value: Any) -> Any:
        """The value as the configuration holds it, from a string, a TOML or JSON value, or a form.

        Raises:
            ConfigError: The value has another type or lies outside its bounds.
        """
        if self.optional and (value is None or (isinstance(value, str) and value.strip().lower() in _NOTHING)):
            return None
        if self.many:
            return tuple(self._parse_one(item) for item in _items(value))
        return self._parse_one(value)

    def _parse_one(self, value: Any) -> Any:
        parsed = _convert(value, self.kind)
        if parsed is None:
            raise ConfigError(
                told("{name} must be {kind}, but is {value!r}", name=self.name, kind=_NAMES[self.kind], value=value)
            )
        if self.choices and parsed not in self.choices:
            nearest = did_you_mean(str(parsed), map(str, self.choices))
            raise ConfigError(
                told(
                    "{name} must be one of {choices}, but is {parsed!r}{nearest}",
                    name=self.name,
                    choices=", ".join(map(str, self.choices)),
                    parsed=parsed,
                    nearest=nearest,
                )
            )
        self._check_bounds(parsed)
        return parsed

    def _check_bounds(self, value: Any) -> None:
        if self.minimum is not None and not value >= self.minimum:
            raise ConfigError(
                told(
                    "{name} must be at least {minimum:g}, but is {value:g}",
                    name=self.name,
                    minimum=self.minimum,
                    value=value,
                )
            )
        if self.above is not None and not value > self.above:
            raise ConfigError(
                told("{name} must be above {above:g}, but is {value:g}", name=self.name, above=self.above, value=value)
            )
        if self.maximum is not None and not value <= self.maximum:
            raise ConfigError(
                told(
                    "{name} must be at most {maximum:g}, but is {value:g}",
                    name=self.name,
                    maximum=self.maximum,
                    value=value,
                )
            )


def options_under(section: Section) -> partial[Any]:
    """A function that declares options of a section: dataclass fields with the metadata that `options_of` reads.

    It takes the default, the help sentence, bounds, `choices` and `main`, as `Option` describes them.
    """
    return partial(_declared_option, section)


def redefined_option(config_type: type[Any], name: str, default: Any, **changes: Any) -> Any:
    """An inherited option with another default and, where `changes` gives them, other help or bounds."""
    inherited = next(field for field in dataclasses.fields(config_type) if field.name == name)
    return dataclasses.field(default=default, metadata={**inherited.metadata, **changes})


def options_of(config_type: type[Any]) -> tuple[Option, ...]:
    """The options of a configuration dataclass, in the order of its fields."""
    hints = typing.get_type_hints(config_type)
    return tuple(_option_of(field, hints[field.name]) for field in dataclasses.fields(config_type))


def parse_values(options: Sequence[Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """Every given value, parsed by its option.

    Raises:
        ConfigError: A name is unknown (the nearest known one is offered) or a value does not fit.
    """
    by_name = {option.name: option for option in options}
    for name in values:
        if name not in by_name:
            raise ConfigError(
                told(
                    "there is no option {name!r}{hint}",
                    name=name,
                    hint=did_you_mean(name, by_name) or told("; --help lists them all"),
                )
            )
    return {name: by_name[name].parse(value) for name, value in values.items()}


def _declared_option(section: Section, default: Any, help: str, **bounds: Any) -> Any:
    return dataclasses.field(default=default, metadata={"help": help, "section": section, **bounds})


def _option_of(field: dataclasses.Field[Any], hint: Any) -> Option:
    optional = types.NoneType in typing.get_args(hint)
    given = next(kind for kind in typing.get_args(hint) if kind is not types.NoneType) if optional else hint
    many = typing.get_origin(given) is tuple
    kind = typing.get_args(given)[0] if many else given
    return Option(field.name, kind, field.default, many=many, optional=optional, **field.metadata)


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, str):
        return [item.strip() for item in _COMMA.split(value) if item.strip()]
    return value if isinstance(value, Iterable) else [value]


def _convert(value: Any, kind: Scalar) -> Any:
    """The value as `kind`, or None if it has another type; a bool is never read as a number."""
    if isinstance(value, str) and kind is not str:
        return _BOOLEANS.get(value.strip().lower()) if kind is bool else _number(value, kind)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, bool) and kind is not bool:
        return None
    return value if isinstance(value, kind) else None


def _number(text: str, kind: Scalar) -> Any:
    try:
        return kind(text)
    except ValueError:
        return None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` with the closest known name, or nothing if none is close."""
    nearest = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return told("; did you mean {name!r}?", name=nearest[0]) if nearest else ""
