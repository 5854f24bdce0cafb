"""One finding in the HTML form: what was measured, what to try, its curves, samples and points."""

from collections.abc import Iterator

from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.messages import format_value
from diagnostics.model.outcome import Outcome, ShownSample
from diagnostics.model.run import Run
from diagnostics.report.html.elements import Markup, collapsible, element, joined, table
from diagnostics.report.html.metrics import figure
from diagnostics.report.html.samples import dialogue
from diagnostics.report.html.sign import sign
from diagnostics.wording.findings import fix_line, record_sentence, rival_line, sample_caption
from diagnostics.wording.messages import message_text, message_with_rule
from diagnostics.wording.steps import steps_of


def finding_section(finding: Finding, diagnosis: Diagnosis, numbers: Iterator[int]) -> Markup:
    """One finding with its evidence: what was measured, what to try, curves and samples."""
    names = dict.fromkeys(outcome.metric for outcome in finding.outcomes)
    proofs = [series for name in names if (series := diagnosis.run.get(name)) is not None]
    return element(
        "section",
        element(
            "h3", sign(finding.severity), " ", message_text(finding.summary), " ", element("small", steps_of(finding))
        ),
        _facts(finding),
        element("div", *(figure(series, diagnosis, numbers) for series in proofs), class_="charts"),
        *(_shown_sample(sample, diagnosis.run) for sample in finding.samples),
        *(_evidence(outcome) for outcome in finding.outcomes if len(outcome.evidence.steps)),
        class_=f"finding {finding.severity}",
    )


def _facts(finding: Finding) -> Markup:
    """What was measured, what to try, and what else was found, in the order of the text form."""
    proof, *others = (message_with_rule(outcome) for outcome in finding.outcomes)
    facts = [
        (_("found"), proof),
        *((_("try"), fix_line(fix)) for fix in finding.fixes),
        *((_("also"), other) for other in others),
        *((_("or"), rival_line(rival)) for rival in finding.rivals),
        *((_("against"), objection) for objection in finding.against),
        *((_("source"), _(source)) for source in finding.sources),
        *((_("record"), record) for record in filter(None, [record_sentence(finding)])),
    ]
    return element("dl", *(joined([element("dt", label), element("dd", text)]) for label, text in facts))


def _shown_sample(sample: ShownSample, run: Run) -> Markup:
    rows = run.samples.at(sample.step)
    body = dialogue(rows[sample.row]) if sample.row < len(rows) else element("pre", sample.quote)
    return element("div", element("p", sample_caption(sample), class_="muted"), body)


def _evidence(outcome: Outcome) -> Markup:
    """The points that made a rule fire, as a table: the text alternative of the curve."""
    evidence = outcome.evidence
    points = zip(evidence.steps.tolist(), evidence.values.tolist(), strict=True)
    rows = [(str(step), format_value(float(value))) for step, value in points]
    return collapsible(
        _("Points of {rule}").format(rule=outcome.rule), table((_("Step"), outcome.tag or outcome.metric), rows)
    )
