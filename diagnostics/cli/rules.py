"""`rlvitals rules`: every rule and, apart from them, every pre-flight check."""

from collections.abc import Sequence
from typing import Any

from diagnostics.cli.command import add_output, command_parser, output_style, write_result
from diagnostics.language import N_, _
from diagnostics.report.table_forms import Table
from diagnostics.rules import CONFIG_RULES, RUN_RULES, SAMPLE_RULES
from diagnostics.rules.rule import Rule

_COLUMNS = {
    "code": N_("Code"),
    "rule": N_("Rule"),
    "for": N_("For"),
    "grade": N_("Grade"),
    "source": N_("Source"),
    "finds": N_("What it finds"),
}
_ANY = N_("any")
_BETWEEN = N_("Pre-flight: checks of the settings alone, before a training starts or beside its verdict.")


def run(words: Sequence[str]) -> int:
    """Print the rules by code, then the checks."""
    arguments = command_parser(
        "rules",
        _("List the rules, and the pre-flight checks of settings: what each finds, and where it comes from."),
        ("rlvitals rules", "rlvitals rules --format markdown"),
    )
    add_output(arguments)
    given = arguments.parse_args(words)
    rules, checks = _table((*RUN_RULES, *SAMPLE_RULES)), _table(CONFIG_RULES)
    if given.format == "json":
        write_result(rules.json(preflight=checks.rows), given.output)
    else:
        tables = (table.render(given.format, output_style(given.output)) for table in (rules, checks))
        write_result(f"\n\n{_(_BETWEEN)}\n\n".join(tables), given.output)
    return 0


def _table(rules: Sequence[Rule[Any, Any]]) -> Table:
    rows = [_row(rule) for rule in sorted(rules, key=lambda rule: rule.code)]
    return Table("rules", _COLUMNS, rows, codes=frozenset({"rule"}), wide=frozenset({"source"}))


def _row(rule: Rule[Any, Any]) -> dict[str, Any]:
    return {
        "code": rule.code,
        "rule": rule.name,
        "for": sorted(rule.algorithms) or _(_ANY),
        "grade": rule.grade,
        "source": _(rule.source),
        "finds": _(rule.summary),
        "inputs": rule.inputs,
        "limits": {limit.name: limit.value for limit in rule.limit_docs},
    }
