"""The words in which schemas are written: records, lists, and values that may be missing."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
STEP: Schema = {"type": "integer"}
NUMBER: Schema = {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}
"""A number, or the name of one that JSON lacks."""
ANYTHING: Schema = {}
"""A setting: whatever a configuration may hold."""


def record(fields: Mapping[str, Schema], optional: Iterable[str] = ()) -> Schema:
    """An object with these fields; more may be added in a later version, so a reader must bear others."""
    left_out = set(optional)
    return {
        "type": "object",
        "properties": dict(fields),
        "required": [name for name in fields if name not in left_out],
    }


def listed(item: Schema) -> Schema:
    """An array of these."""
    return {"type": "array", "items": item}


def keyed(value: Schema) -> Schema:
    """An object whose keys are names from a log or a catalogue."""
    return {"type": "object", "additionalProperties": value}


def nullable(schema: Schema) -> Schema:
    """This, or null where it is not known or does not apply."""
    return {"anyOf": [schema, {"type": "null"}]}


def either(*schemas: Schema) -> Schema:
    """One of these."""
    return {"anyOf": list(schemas)}


def words(*values: str) -> Schema:
    """One of these words."""
    return {"enum": list(values)}


def members(names: type[Enum]) -> Schema:
    """A member of an enumeration of the model."""
    return words(*(str(member.value) for member in names))
