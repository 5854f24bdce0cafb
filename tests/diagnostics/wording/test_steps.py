"""How far a run is, and when else a finding was so."""

from dataclasses import replace

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.messages import Message
from diagnostics.model.outcome import Outcome, Severity, Stretch, Verdict
from diagnostics.model.status import Status
from diagnostics.wording.steps import further_episodes, progress


def test_progress_names_the_total_where_it_is_known(broken_critic: Diagnosis) -> None:
    run = broken_critic.run
    with_total, without = (replace(run, status=Status("running", total=total)) for total in (100, None))
    assert [progress(with_total), progress(with_total, short=True)] == ["step 20 of 100", "step 20/100"]
    assert [progress(without), progress(without, short=True)] == ["step 20", "step 20"]


def truncation(*more: Stretch) -> Outcome:
    leading = Stretch(167, 300, Severity.INFO, still=True, peak=0.2)
    return Outcome("RV601", "truncation-high", Verdict.FIRED, Message("x"), severity=Severity.CRITICAL, first_step=167,
                   last_step=300, measured=0.2, limit=0.1, unit="fraction", episodes=(*more, leading))  # fmt: skip


def test_a_graver_episode_that_ended_is_told_before_longer_ones() -> None:
    grave = Stretch(1, 41, Severity.CRITICAL, peak=0.98)
    mild = Stretch(60, 140, Severity.INFO, peak=0.15)
    told = "Also steps 1 to 41 (up to 98 %), steps 60 to 140 (up to 15 %; note)."
    assert further_episodes(truncation(mild, grave)) == told


def test_of_many_further_episodes_the_rest_is_counted() -> None:
    spikes = [Stretch(step, step, Severity.INFO, peak=0.2) for step in (10, 20, 30, 40)]
    assert further_episodes(truncation(*spikes)).endswith("step 20 (up to 20 %; note), and 2 more times.")
    assert further_episodes(truncation(*spikes[:3])).endswith(", and once more.")


def test_a_finding_of_one_episode_has_no_further_ones() -> None:
    assert further_episodes(truncation()) == ""
