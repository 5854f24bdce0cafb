"""`rlvitals causes`: the explanations that rules point to, each with the rules that show it."""

from collections.abc import Sequence

from diagnostics.causes import CATALOG
from diagnostics.cli.table_command import print_table
from diagnostics.language import N_, _
from diagnostics.report.table_forms import Table

_COLUMNS = {"cause": N_("Cause"), "summary": N_("What one would say"), "shown_by": N_("Shown by")}


def run(words: Sequence[str]) -> int:
    """Print the causes in the catalogue's order."""
    return print_table(words, "causes", _("List the causes that rules point to."), _table)


def _table() -> Table:
    rows = [
        {
            "cause": entry.name,
            "summary": _(entry.summary),
            "meaning": _(entry.meaning),
            "shown_by": entry.core_rules,
            "supported_by": entry.support,
            "against": [indicator.rule for indicator in entry.against],
        }
        for entry in CATALOG
    ]
    return Table("causes", _COLUMNS, rows, codes=frozenset({"cause", "shown_by"}))
