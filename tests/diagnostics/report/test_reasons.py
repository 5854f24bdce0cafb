"""What a report says of rules that could not run, and which samples and sources stand beside a finding."""

from dataclasses import replace

from diagnostics.model.messages import Message
from diagnostics.model.outcome import Evidence, Outcome, Severity, ShownSample, Verdict
from diagnostics.report.contents import Finding, reasons_not_to_look


def short(rule: str, needed: int) -> Outcome:
    values = {"needed": needed, "found": 15}
    enable = Message("engine.too-few.enable", values)
    return Outcome("RV101", rule, Verdict.SKIPPED, Message("engine.too-few", values), enable=enable)


def unlogged(rule: str) -> Outcome:
    values = {"names": "reward_std"}
    enable = Message("missing.metric.enable", values)
    return Outcome("RV101", rule, Verdict.SKIPPED, Message("missing.metric", values), enable=enable)


def fired(code: str, severity: Severity, source: str) -> Outcome:
    shown = Evidence(samples=(ShownSample(7, 0, Message("exhibit.any"), source),))
    return Outcome(code, "a-rule", Verdict.FIRED, Message("x"), severity=severity, source=source, evidence=shown)


def finding(*outcomes: Outcome) -> Finding:
    distinct = tuple(
        replace(o, evidence=Evidence(samples=(replace(o.evidence.samples[0], row=row),)))
        for row, o in enumerate(outcomes)
    )
    return Finding("it", Severity.CRITICAL, "It is so.", 1, 9, False, distinct, (), ())


def test_rules_that_want_more_points_share_one_reason() -> None:
    reasons = reasons_not_to_look(
        [short("kl-runaway", 65), unlogged("a"), short("entropy-collapse", 40), unlogged("b")]
    )
    assert reasons == (
        "Too few logged points so far; needed: kl-runaway 65, entropy-collapse 40.",
        "The log has no metric reward_std. Log reward_std. [a, b]",
    )


def test_a_consequence_gives_neither_its_samples_nor_its_source() -> None:
    proof, other = fired("RV301", Severity.CRITICAL, "proof"), fired("RV402", Severity.WARNING, "consequence")
    found = finding(proof, other)
    assert ([item.quote for item in found.samples], found.sources) == (["proof"], ("proof",))


def test_what_a_check_of_samples_warns_of_is_shown_and_what_it_notes_is_not() -> None:
    proof = fired("RV502", Severity.CRITICAL, "proof")
    warned, noted = fired("SM302", Severity.WARNING, "gibberish"), fired("SM101", Severity.INFO, "cut off")
    assert [item.quote for item in finding(proof, warned, noted).samples] == ["proof", "gibberish"]
