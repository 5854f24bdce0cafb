"""`rlvitals metrics`: the vocabulary, one name for each metric whatever a trainer calls it."""

from collections.abc import Sequence
from dataclasses import asdict

from diagnostics.cli.table_command import print_table
from diagnostics.model.vocabulary import METRICS
from diagnostics.report.table_forms import Table

_COLUMNS = {"name": "Metric", "unit": "Unit", "healthy": "Healthy", "meaning": "Meaning"}


def run(words: Sequence[str]) -> int:
    """Print the vocabulary in its own order, which groups the metrics by what they are about."""
    return print_table(words, "metrics", "List the metrics that rlvitals knows.", _table)


def _table() -> Table:
    return Table("metrics", _COLUMNS, [asdict(metric) for metric in METRICS], codes=frozenset({"name"}))
