"""Settings as producers nest them: one of them looked up by its dotted path, whatever a tracker made of the nesting."""

from collections.abc import Mapping
from typing import Any

SEPARATORS = (".", "/")  # MLflow has no nesting: it joins the names


def setting(config: Mapping[str, Any], path: str) -> Any:
    """The setting at a dotted path, nested or flat; None where there is none."""
    for separator in SEPARATORS:
        if (flat := path.replace(".", separator)) in config:
            return config[flat]
    found: Any = config
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def planned(config: Mapping[str, Any], *paths: str) -> int | None:
    """The first of these settings that is a positive whole number."""
    values = (setting(config, path) for path in paths)
    return next((value for value in values if isinstance(value, int) and value > 0), None)
