"""The table of generated pages: each one's path, and the function that writes its text."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from diagnostics.report.schemas import SCHEMAS, schema_text
from docs.generate import house, logs, options, python, reference

DOCS = Path(__file__).resolve().parents[1]


def _line_ended(name: str) -> str:
    """A published schema, as `rlvitals schema NAME` prints it."""
    return f"{schema_text(name)}\n"


PAGES: Mapping[Path, Callable[[], str]] = {
    DOCS / "reference" / "rules.md": reference.rules,
    DOCS / "reference" / "samples.md": reference.sample_checks,
    DOCS / "reference" / "settings.md": reference.settings_checks,
    DOCS / "reference" / "causes.md": reference.causes,
    DOCS / "reference" / "metrics.md": reference.metrics,
    DOCS / "reference" / "formats.md": logs.formats,
    DOCS / "reference" / "producers.md": logs.producers,
    DOCS / "reference" / "options.md": options.options,
    DOCS / "reference" / "python.md": python.python,
    DOCS / "design.md": house.design,
    **{DOCS / "reference" / "schemas" / f"{name}.json": partial(_line_ended, name) for name in SCHEMAS},
}
