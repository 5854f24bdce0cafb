"""The pass rates of an untrained policy as a histogram for a terminal, a Markdown table, and JSON."""

from collections.abc import Iterator
from typing import Any

from diagnostics.language import _
from diagnostics.model.messages import format_value
from diagnostics.report.markdown_elements import table
from diagnostics.report.terminal import Style
from diagnostics.rules.config.pass_rates import BANDS, PassRates

_BAR = 30  # characters of the longest bar


def pass_rate_lines(rates: PassRates | None, style: Style) -> Iterator[str]:
    """The histogram; nothing where no groups were drawn."""
    if rates is None:
        return
    yield style.paragraph(_title(rates), indent=0)
    most = max(count for _, count in rates.histogram)
    column = max(map(len, BANDS)) + 2
    for band, count in rates.histogram:
        bar = "█" * round(_BAR * count / most)
        yield f"  {band.ljust(column)}{count:>4}  {bar}".rstrip()
    yield style.paragraph(_summary(rates))
    yield ""


def pass_rate_table(rates: PassRates) -> str:
    """The same for Markdown."""
    rows = [(band, str(count)) for band, count in rates.histogram]
    return "\n\n".join((_title(rates), table((_("Pass rate"), _("Prompts")), rows), _summary(rates)))


def pass_rate_document(rates: PassRates | None) -> dict[str, Any] | None:
    """The same for JSON; None where no groups were drawn."""
    if rates is None:
        return None
    return {
        "prompts": len(rates.prompts),
        "generations": rates.generations,
        "pass_at": rates.pass_at,
        "rates": rates.rates,
        "histogram": [{"pass_rate": band, "prompts": count} for band, count in rates.histogram],
        "no_signal_share": rates.alike / len(rates.prompts),
        "kept": len(rates.kept),
    }


def _title(rates: PassRates) -> str:
    return _(
        "Pass rates of the untrained policy: {answers} answers to each of {prompts} prompts; a reward of {reward} or "
        "more is a pass"
    ).format(answers=rates.generations, prompts=len(rates.prompts), reward=format_value(rates.pass_at))


def _summary(rates: PassRates) -> str:
    return _(
        "{alike} of {prompts} groups have no signal at {answers} answers: all of theirs earn the same. {kept} prompts "
        "pass in 20 to 80 % of cases."
    ).format(alike=rates.alike, prompts=len(rates.prompts), answers=rates.generations, kept=len(rates.kept))
