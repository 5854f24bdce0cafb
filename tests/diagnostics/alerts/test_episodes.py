"""Tests of episodes: what is told once, what anew, and what never."""

from dataclasses import replace

from diagnostics.alerts.episodes import OLD, Event, Kind, Told, news
from diagnostics.model.cause import Cause
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Severity
from tests.diagnostics.alerts.diagnoses import diagnosis

COOLDOWN = 600.0


def told_of(*diagnoses: Diagnosis, told: Told | None = None) -> list[list[tuple[Kind, str, Severity | None]]]:
    """What each diagnosis adds, each judged at the moment at which its run was read."""
    found = []
    for each in diagnoses:
        events, told = news(told, each, each.run.observed_at, COOLDOWN)
        found.append([(event.kind, event.finding, event.severity) for event in events])
    return found


def with_cause(found: Diagnosis, name: str, severity: Severity, *rules: str) -> Diagnosis:
    cause = Cause(
        cause=name, severity=severity, summary=Message("engine.quiet-unmeasured"), first_step=12, last_step=40,
        outcomes=rules, signs=rules, fixes=(), against=(),
    )  # fmt: skip
    return replace(found, causes=(cause,))


def test_a_finding_is_told_when_it_opens_worsens_and_closes_and_never_twice() -> None:
    warning, critical = Severity.WARNING, Severity.CRITICAL
    assert told_of(
        diagnosis(1000, kl_runaway="warning"),
        diagnosis(1010, kl_runaway="warning"),
        diagnosis(1020, kl_runaway="critical"),
        diagnosis(1030, kl_runaway="warning"),
        diagnosis(1040, kl_runaway="critical"),
        diagnosis(1050, kl_runaway="critical over"),
        diagnosis(1060),
    ) == [
        [(Kind.OPENED, "kl-runaway", warning)],
        [],
        [(Kind.WORSENED, "kl-runaway", critical)],
        [],
        [],
        [(Kind.CLOSED, "kl-runaway", critical)],
        [],
    ]


def test_what_opens_again_within_the_cooldown_is_told_neither_again_nor_at_its_end() -> None:
    opened, over = (Kind.OPENED, "kl-runaway", Severity.WARNING), (Kind.CLOSED, "kl-runaway", Severity.WARNING)
    assert told_of(
        diagnosis(1000, kl_runaway="warning"),
        diagnosis(1010),
        diagnosis(1000 + COOLDOWN - 1, kl_runaway="warning"),
        diagnosis(1000 + COOLDOWN + 1),
        diagnosis(1000 + COOLDOWN + 2, kl_runaway="warning"),
    ) == [[opened], [over], [], [], [opened]]


def test_a_note_that_becomes_an_alarm_opens_as_one() -> None:
    assert told_of(diagnosis(1000, kl_runaway="info"), diagnosis(1010, kl_runaway="warning")) == [
        [(Kind.OPENED, "kl-runaway", Severity.INFO)],
        [(Kind.OPENED, "kl-runaway", Severity.WARNING)],
    ]


def test_a_rule_that_turns_out_to_have_a_cause_goes_on_under_its_name() -> None:
    alone = diagnosis(1000, kl_runaway="warning")
    both = diagnosis(1010, kl_runaway="warning", ratio_far_from_one="warning")
    explained = with_cause(both, "drastic-updates", Severity.WARNING, "kl-runaway", "ratio-far-from-one")
    graver = with_cause(diagnosis(1020, kl_runaway="critical"), "drastic-updates", Severity.CRITICAL, "kl-runaway")
    assert told_of(alone, explained, graver) == [
        [(Kind.OPENED, "kl-runaway", Severity.WARNING)],
        [],
        [(Kind.WORSENED, "drastic-updates", Severity.CRITICAL)],
    ]


def test_the_end_of_a_run_is_told_once_and_its_findings_are_not_closed_by_it() -> None:
    for state, kind in (
        ("failed", Kind.FAILED),
        ("died", Kind.FAILED),
        ("finished", Kind.ENDED),
        ("stopped", Kind.ENDED),
    ):
        assert told_of(
            diagnosis(1000, kl_runaway="critical"),
            diagnosis(1010, state=state, kl_runaway="critical"),
            diagnosis(1020, state=state),
        )[1:] == [[(kind, "", Severity.CRITICAL)], []]


def test_a_silent_run_is_told_once_and_again_after_it_has_gone_on() -> None:
    silent = [(Kind.SILENT, "", None)]
    assert told_of(
        diagnosis(1000), diagnosis(2000, state="silent"), diagnosis(2010, state="silent"), diagnosis(2020),
        diagnosis(3000, state="silent"),
    ) == [[], silent, [], [], silent]  # fmt: skip


def test_a_run_that_ended_long_before_it_was_first_seen_is_no_news() -> None:
    old = diagnosis(OLD + 1001, state="failed", last_written=1000, kl_runaway="critical")
    recent = diagnosis(OLD + 999, state="failed", last_written=1000, kl_runaway="critical")
    assert told_of(old, diagnosis(OLD + 1010, state="failed")) == [[], []]
    assert told_of(recent) == [[(Kind.FAILED, "", Severity.CRITICAL)]]


def test_an_older_diagnosis_of_another_watcher_adds_nothing() -> None:
    assert told_of(diagnosis(1000, kl_runaway="warning"), diagnosis(990)) == [
        [(Kind.OPENED, "kl-runaway", Severity.WARNING)],
        [],
    ]


def test_what_was_told_survives_as_json() -> None:
    events, told = news(None, diagnosis(1000, kl_runaway="warning"), 1000, COOLDOWN)
    assert events == [Event(Kind.OPENED, "kl-runaway", Severity.WARNING)]
    assert Told.of_json(told.to_json()) == told
