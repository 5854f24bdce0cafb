"""The table of schemas, and each as a document of its own."""

import json
from collections.abc import Mapping

from diagnostics.report.schemas import actions, catalogue
from diagnostics.report.schemas.comparison import COMPARE
from diagnostics.report.schemas.diagnosis import DIAGNOSE
from diagnostics.report.schemas.gate import GATE
from diagnostics.report.schemas.preflight import PREFLIGHT
from diagnostics.report.schemas.queue import QUEUE, RECIPES
from diagnostics.report.schemas.runs import RUNS
from diagnostics.report.schemas.shapes import Schema
from diagnostics.report.schemas.status import STATUS
from diagnostics.report.schemas.watching import WATCH
from diagnostics.report.strict_json import SCHEMA_VERSION

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LINES = frozenset({"export", "watch"})
"""A record on each line, without a version of its own."""

SCHEMAS: Mapping[str, Schema] = {
    "diagnose": DIAGNOSE,
    "status": STATUS,
    "runs": RUNS,
    "watch": WATCH,
    "compare": COMPARE,
    "gate": GATE,
    "preflight": PREFLIGHT,
    "evaluate": actions.EVALUATE,
    "export": actions.RECORD,
    "explain": catalogue.EXPLAIN,
    "rules": catalogue.RULES,
    "metrics": catalogue.METRICS,
    "causes": catalogue.CAUSES,
    "formats": catalogue.FORMATS,
    "import": actions.DONE,
    "mute": actions.DONE,
    "stop": actions.DONE,
    "queue": QUEUE,
    "recipes": RECIPES,
    "skill": actions.DONE,
    "error": actions.ERROR,
}
"""Command → what it prints; `error` is what every command prints instead where it cannot do what was asked."""


def schema_of(name: str) -> Schema:
    """A schema as a document: with its dialect, its title and, but for lines, the version that each output states."""
    own = SCHEMAS[name]
    named = {"$schema": _DIALECT, "title": f"rlvitals {name}"}
    if name in _LINES:
        return {**named, **own}
    return {
        **named,
        **own,
        "properties": {"schema_version": {"const": SCHEMA_VERSION}, **own["properties"]},
        "required": ["schema_version", *own["required"]],
    }


def schema_text(name: str) -> str:
    """The document as it is printed and published."""
    return json.dumps(schema_of(name), indent=2)
