"""The published JSON Schemas: what each command prints with `--format json`, in a table by command."""

from diagnostics.report.schemas.table import SCHEMAS, schema_text

__all__ = ["SCHEMAS", "schema_text"]
