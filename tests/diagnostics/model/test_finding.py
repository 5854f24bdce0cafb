"""Findings group what fired by its cause, with the right samples and sources."""

from dataclasses import replace

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.finding import Finding
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Evidence, Outcome, Severity, ShownSample, Verdict
from diagnostics.wording.messages import message_text
from diagnostics.wording.steps import steps_of


def fired(code: str, severity: Severity, source: str) -> Outcome:
    shown = Evidence(samples=(ShownSample(7, 0, Message("exhibit.any"), source),))
    return Outcome(code, "a-rule", Verdict.FIRED, Message("x"), severity=severity, source=source, evidence=shown)


def finding(*outcomes: Outcome) -> Finding:
    distinct = tuple(
        replace(o, evidence=Evidence(samples=(replace(o.evidence.samples[0], row=row),)))
        for row, o in enumerate(outcomes)
    )
    return Finding("it", Severity.CRITICAL, Message("x"), 1, 9, False, distinct, (), ())


def test_a_cause_is_told_once_and_its_outcomes_stand_under_it(broken_critic: Diagnosis) -> None:
    found = broken_critic.findings
    rules = [outcome.rule for finding in found for outcome in finding.outcomes]
    assert message_text(found[0].summary) == "The numbers broke down: something became NaN or infinite."
    assert "nonfinite-metric" in rules
    assert len(rules) == len(set(rules))


def test_an_outcome_that_no_cause_explains_is_told_by_its_headline(broken_critic: Diagnosis) -> None:
    (finding,) = [
        item for item in replace(broken_critic, causes=()).findings if item.outcomes[0].rule == "nonfinite-metric"
    ]
    assert (finding.severity, finding.first_step, finding.still) == (Severity.CRITICAL, 11, True)
    assert steps_of(finding) == "since step 11, still so"


def test_findings_come_worst_first(broken_critic: Diagnosis) -> None:
    ranks = [finding.severity.rank for finding in broken_critic.findings]
    assert ranks == sorted(ranks, reverse=True)


def test_a_consequence_gives_neither_its_samples_nor_its_source() -> None:
    proof, other = fired("RV301", Severity.CRITICAL, "proof"), fired("RV402", Severity.WARNING, "consequence")
    found = finding(proof, other)
    assert ([item.quote for item in found.samples], found.sources) == (["proof"], ("proof",))


def test_what_a_check_of_samples_warns_of_is_shown_and_what_it_notes_is_not() -> None:
    proof = fired("RV502", Severity.CRITICAL, "proof")
    warned, noted = fired("SM302", Severity.WARNING, "gibberish"), fired("SM101", Severity.INFO, "cut off")
    assert [item.quote for item in finding(proof, warned, noted).samples] == ["proof", "gibberish"]
