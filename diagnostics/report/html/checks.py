"""The checks of a run and of its settings in the HTML form: what they found, measured, or could not look at."""

from collections.abc import Iterator

from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Outcome, Verdict
from diagnostics.punctuation import listed
from diagnostics.report.html.elements import Markup, collapsible, element, table
from diagnostics.report.html.sign import sign
from diagnostics.wording.findings import rules_by_reason
from diagnostics.wording.messages import message_text
from diagnostics.wording.values import value_with_unit


def settings_section(diagnosis: Diagnosis) -> Markup:
    """The settings worth a look; they do not change the verdict."""
    found = diagnosis.settings_findings
    if not found:
        return Markup("")
    rows = [(sign(outcome.severity or "info"), outcome.rule, message_text(outcome.message)) for outcome in found]
    note = element("p", _("Of the configuration alone; it does not change the verdict."), class_="muted")
    listed = table((_("How bad"), _("Check"), _("What")), rows)
    return element("section", element("h2", _("Settings worth a look")), note, listed)


def checks_section(diagnosis: Diagnosis) -> Iterator[Markup]:
    """What could not be checked, what was quiet and how it measured, and what does not apply; each is folded."""
    spots = diagnosis.blind_spots
    yield element("h2", _("Checks"))
    if spots:
        rows = [(outcome.rule, message_text(outcome.message), message_text(outcome.enable)) for outcome in spots]
        title = _("Could not be checked ({count})").format(count=len(spots))
        yield collapsible(title, table((_("Check"), _("Why"), _("To enable")), rows))
    quiet = [outcome for outcome in diagnosis.outcomes if outcome.verdict is Verdict.QUIET]
    measured = [(outcome.rule, outcome.tag or outcome.metric, *_numbers(outcome)) for outcome in quiet]
    title = _("Checked, nothing found ({count})").format(count=len(quiet))
    yield collapsible(title, table((_("Check"), _("Metric"), _("Worst"), _("Limit")), measured))
    if reasons := rules_by_reason(diagnosis.not_applicable):
        reasoned = [(listed(rules), reason) for reason, rules in reasons.items()]
        title = _("Does not apply here ({count})").format(count=len(diagnosis.not_applicable))
        yield collapsible(title, table((_("Checks"), _("Why")), reasoned))


def _numbers(outcome: Outcome) -> tuple[str, str]:
    values = (outcome.measured, outcome.limit)
    worst, limit = ("" if value is None else value_with_unit(value, outcome.unit) for value in values)
    return worst, limit
