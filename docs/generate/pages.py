"""The table of generated pages: each one's path, and the function that writes its text."""

from collections.abc import Callable, Mapping
from pathlib import Path

from docs.generate import house, logs, options, python, reference

DOCS = Path(__file__).resolve().parents[1]

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
}
