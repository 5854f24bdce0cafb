"""`rlvitals metrics`: the vocabulary, one name for each metric whatever a trainer calls it."""

from collections.abc import Sequence
from dataclasses import asdict

from diagnostics.cli.table_command import print_table
from diagnostics.language import N_, _
from diagnostics.model.vocabulary import METRICS
from diagnostics.report.table_forms import Table

_COLUMNS = {"name": N_("Metric"), "unit": N_("Unit"), "healthy": N_("Healthy"), "meaning": N_("Meaning")}
_WORDS = ("title", "unit", "meaning", "healthy", "to_log", "formula", "slip", "source")


def run(words: Sequence[str]) -> int:
    """Print the vocabulary in its own order, which groups the metrics by what they are about."""
    return print_table(words, "metrics", _("List the metrics that rlvitals knows."), _table)


def _table() -> Table:
    rows = [{**asdict(metric), **{field: _(getattr(metric, field)) for field in _WORDS}} for metric in METRICS]
    return Table("metrics", _COLUMNS, rows, codes=frozenset({"name"}))
