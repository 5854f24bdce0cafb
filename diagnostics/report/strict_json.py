"""JSON for any parser: a schema_version, and non-finite numbers as strings."""

import json
import math
from collections.abc import Mapping
from typing import Any

from diagnostics.visible_text import replaced

SCHEMA_VERSION = 1


def to_json(document: Mapping[str, Any]) -> str:
    """A document as JSON, its schema_version first."""
    return _printable(
        json.dumps(
            json_types({"schema_version": SCHEMA_VERSION, **document}), ensure_ascii=False, indent=2, allow_nan=False
        )
    )


def encoded_line(record: Mapping[str, Any]) -> str:
    """A record as one line of JSON."""
    return _printable(json.dumps(json_types(record), ensure_ascii=False))


def json_types(value: Any) -> Any:
    """The value in JSON's own types: arrays as lists, paths and enums as strings, non-finite numbers as their names."""
    if isinstance(value, Mapping):
        return {str(key): json_types(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_types(item) for item in value]
    if hasattr(value, "tolist"):  # an array or a number of numpy, which takes long to import for a message
        return json_types(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return nonfinite_name(value)
    return value if value is None or type(value) in (bool, int, float) else str(value)


def _printable(document: str) -> str:
    """The same document, in which JSON's own escapes also stand for what a terminal would act upon or hide."""
    return replaced(document, lambda sign: json.dumps(sign).strip('"'))


def nonfinite_name(value: float) -> str:
    """The string for a number that JSON lacks: "NaN", "Infinity" or "-Infinity"."""
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
