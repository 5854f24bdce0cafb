"""`rlvitals rules`: every rule with its code, what it finds and where it comes from, as in the README's table."""

from collections.abc import Sequence
from typing import Any

from diagnostics.cli.listing import print_table
from diagnostics.report.tables import Table
from diagnostics.rules import CATALOG
from diagnostics.rules.rule import Rule

_COLUMNS = {
    "code": "Code",
    "rule": "Rule",
    "for": "For",
    "grade": "Grade",
    "source": "Source",
    "finds": "What it finds",
}
_ANY = "any"


def run(words: Sequence[str]) -> int:
    """Print the rules by code."""
    return print_table(words, "rules", "List the rules: what each finds, and where it comes from.", _table)


def _table() -> Table:
    rows = [_row(rule) for rule in sorted(CATALOG, key=lambda rule: rule.code)]
    return Table("rules", _COLUMNS, rows, codes=frozenset({"rule"}), wide=frozenset({"source"}))


def _row(rule: Rule[Any]) -> dict[str, Any]:
    return {
        "code": rule.code,
        "rule": rule.name,
        "for": sorted(rule.algorithms) or _ANY,
        "grade": rule.grade,
        "source": rule.source,
        "finds": rule.summary,
        "inputs": rule.inputs,
        "limits": {limit.name: limit.value for limit in rule.limit_docs},
    }
