"""Holds what commands print to the published schemas, and lets no field pass that these do not know."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMAS = Path(__file__).resolve().parents[1] / "docs" / "reference" / "schemas"


def published(printed: str, name: str) -> Any:
    """The document that was printed, which the schema of that name describes in every field."""
    document = json.loads(printed)
    errors = [f"{error.json_path}: {error.message[:300]}" for error in _validator(name).iter_errors(document)]
    assert not errors, errors
    return document


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(closed(json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))))


def closed(schema: Any) -> Any:
    """The schema in which records have no further fields: readers must bear those, the commands must not print them."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **inner} if schema.get("type") == "object" else inner
