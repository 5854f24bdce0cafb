"""Looks up settings by canonical name: what a producer calls each, and what a run's configuration states."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from diagnostics.model.settings import Setting, Settings, is_on
from diagnostics.producers.canonical_settings import SETTINGS
from diagnostics.producers.nested_config import value_at
from diagnostics.producers.producer import Producer
from diagnostics.producers.table import PRODUCERS, producer_named

_NOWHERE = object()
"""Marks a name that a configuration does not contain."""
_SWITCHES = {argument: switch for producer in PRODUCERS for argument, switch in producer.switches.items()}


def _own_first(producer: str) -> tuple[Producer, ...]:
    own = producer_named(producer)
    return (own, *(other for other in PRODUCERS if other is not own))


@cache
def arguments_for(producer: str) -> Mapping[str, tuple[str, ...]]:
    """Canonical setting → every argument to look for in a producer's configuration: its own, then everybody's.

    A log may state a setting in another producer's words, and of some producers no settings are listed.
    """
    own, ordered = producer_named(producer), _own_first(producer)
    return {
        setting: tuple(
            dict.fromkeys(
                argument
                for source in ordered
                for argument in source.settings.get(setting, ())
                if source is own or argument not in source.own_words
            )
        )
        for setting in SETTINGS
    }


ANY_PRODUCER = arguments_for("")
"""Canonical setting → every argument that stands for it in some producer's configuration."""


@cache
def usual_arguments(producer: str, algorithm: str) -> Mapping[str, str]:
    """Canonical setting → what a producer calls it where no argument is given; without those that it does not have."""
    own = producer_named(producer)
    names = {setting: own.usual_argument(setting, algorithm) for setting in SETTINGS}
    return {setting: name for setting, name in names.items() if name}


def settings_of_run(producer: str, algorithm: str, config: Mapping[str, Any]) -> Settings:
    """The settings that a run's configuration states, by canonical name."""
    found = {setting: _effective_setting(producer, setting, config) for setting in SETTINGS} if config else {}
    known = {setting: item for setting, item in found.items() if item is not None}
    own = producer_named(producer)
    return Settings(known, usual_arguments(producer, algorithm), own.neutral, own.notation)


def given_settings(producer: str, setting: str, config: Mapping[str, Any]) -> Iterator[Setting]:
    """The arguments for a setting that a configuration gives, those that are switched off last."""
    values = ((name, value_at(config, name, _NOWHERE)) for name in arguments_for(producer)[setting])
    found = [Setting(name, value, "config") for name, value in values if value is not _NOWHERE]
    yield from sorted(found, key=lambda item: _is_switched_off(item.parameter, config))


def _effective_setting(producer: str, setting: str, config: Mapping[str, Any]) -> Setting | None:
    """What a run's configuration states; not what is switched off, nor what transformers copies from the model."""
    for item in given_settings(producer, setting, config):
        if not item.parameter.startswith("_") and not _is_switched_off(item.parameter, config):
            return item
    return None


def _is_switched_off(argument: str, config: Mapping[str, Any]) -> bool:
    switch = value_at(config, _SWITCHES[argument], _NOWHERE) if argument in _SWITCHES else _NOWHERE
    return switch is not _NOWHERE and not is_on(switch)
