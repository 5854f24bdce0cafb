"""Looking up a setting by its dotted path, whatever a tracker made of the producer's nesting."""

from collections.abc import Iterator, Mapping
from typing import Any

SEPARATORS = (".", "/")  # MLflow has no nesting: it joins the names


def value_at(config: Mapping[str, Any], path: str, default: Any = None) -> Any:
    """The value at a dotted path, nested or flat; the default where there is none."""
    for separator in SEPARATORS:
        if (flat := path.replace(".", separator)) in config:
            return config[flat]
    found: Any = config
    for name in path.split("."):
        if not isinstance(found, Mapping) or name not in found:
            return default
        found = found[name]
    return found


def flattened(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested configuration with its names joined by dots; a list stays a value."""
    return dict(_flattened(config, prefix))


def planned_steps(config: Mapping[str, Any], *paths: str) -> int | None:
    """The first of these settings that is a positive whole number."""
    values = (value_at(config, path) for path in paths)
    return next((value for value in values if isinstance(value, int) and value > 0), None)


def _flattened(config: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in config.items():
        if isinstance(value, Mapping) and value:
            yield from _flattened(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
