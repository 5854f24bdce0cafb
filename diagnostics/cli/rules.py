"""`rlvitals rules`: every rule and, apart from them, every pre-flight check."""

from collections.abc import Sequence
from typing import Any

from diagnostics.cli.command import add_output, command_parser, output_style, write_result
from diagnostics.report.table_forms import Table
from diagnostics.rules import CONFIG_RULES, RUN_RULES, SAMPLE_RULES
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
_BETWEEN = "Pre-flight: checks of the settings alone, before a training starts or beside its verdict."


def run(words: Sequence[str]) -> int:
    """Print the rules by code, then the checks."""
    arguments = command_parser(
        "rules",
        "List the rules, and the pre-flight checks of settings: what each finds, and where it comes from.",
        ("rlvitals rules", "rlvitals rules --format markdown"),
    )
    add_output(arguments)
    given = arguments.parse_args(words)
    rules, checks = _table((*RUN_RULES, *SAMPLE_RULES)), _table(CONFIG_RULES)
    if given.format == "json":
        write_result(rules.json(preflight=checks.rows), given.output)
    else:
        tables = (table.render(given.format, output_style(given.output)) for table in (rules, checks))
        write_result(f"\n\n{_BETWEEN}\n\n".join(tables), given.output)
    return 0


def _table(rules: Sequence[Rule[Any, Any]]) -> Table:
    rows = [_row(rule) for rule in sorted(rules, key=lambda rule: rule.code)]
    return Table("rules", _COLUMNS, rows, codes=frozenset({"rule"}), wide=frozenset({"source"}))


def _row(rule: Rule[Any, Any]) -> dict[str, Any]:
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
