"""The pass rates of an untrained policy as a histogram for a terminal, a Markdown table, and JSON."""

from collections.abc import Iterator
from typing import Any

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
    return "\n\n".join((_title(rates), table(("Pass rate", "Prompts"), rows), _summary(rates)))


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
    return (
        f"Pass rates of the untrained policy: {rates.generations} answers to each of {len(rates.prompts)} prompts; a "
        f"reward of {format_value(rates.pass_at)} or more is a pass"
    )


def _summary(rates: PassRates) -> str:
    return (
        f"{rates.alike} of {len(rates.prompts)} groups have no signal at {rates.generations} answers: all of theirs "
        f"earn the same. {len(rates.kept)} prompts pass in 20 to 80 % of cases."
    )
