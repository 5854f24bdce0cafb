"""The row of settings that loops of people's own write above their metrics: `{"type": "config", "args": {"lr": 1}}`."""

from collections.abc import Mapping
from typing import Any

_MARKED_BY = ("type", "event", "kind")
_WORDS = frozenset(
    ("config", "configuration", "settings", "args", "arguments", "hparams", "hyperparameters", "params", "parameters")
)


def settings_in(row: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a row without a step states: those below such a word, and all of a row that says it is one."""
    found = _below_words(row)
    beside = [name for name in row if _is_marked(row) and name not in found and name not in _MARKED_BY]
    settings = {name: row[name] for name in beside}
    for below in found.values():
        settings.update(below)
    return settings


def is_of_settings(row: Mapping[str, Any]) -> bool:
    """Whether a row without a step holds settings and nothing else."""
    below = _below_words(row)
    return _is_marked(row) or (bool(below) and {*row} <= {*below, *_MARKED_BY})


def _below_words(row: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {name: value for name, value in row.items() if name.lower() in _WORDS and isinstance(value, dict)}


def _is_marked(row: Mapping[str, Any]) -> bool:
    return any(str(row.get(name)).lower() in _WORDS for name in _MARKED_BY)
