"""Warnings of a run that goes on are notes until they have lasted a twentieth of its steps."""

from collections.abc import Callable

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate
from diagnostics.rules.lasting import until
from diagnostics.wording.messages import message_text

MakeRun = Callable[..., Run]


def outcome_of(run: Run, rule: str) -> Outcome:
    return next(outcome for outcome in evaluate(run) if outcome.rule == rule)


def clipped(steps: int) -> str:
    """A share of clipped tokens that is too high in the last so many of 100 steps."""
    return f"0.1x{100 - steps} 0.9x{steps}"


def first_warning(make_run: MakeRun, **status: object) -> int:
    """In how many last steps of 100 the share has to be too high for a warning."""
    for steps in range(1, 40):
        outcome = outcome_of(make_run("ppo", clip_fraction=clipped(steps), **status), "clipfrac-high")
        if outcome.is_alarm:
            return steps
    raise AssertionError("no warning in 40 steps")


def test_a_warning_of_a_run_that_goes_on_waits_for_a_twentieth_of_its_steps(make_run: MakeRun) -> None:
    over = first_warning(make_run, state="finished")
    assert first_warning(make_run, state="running") == over + 5


def test_a_warning_that_nothing_happens_waits_three_times_as_long(make_run: MakeRun) -> None:
    def flat(steps: int) -> Run:
        rises = " ".join(f"{0.4 + 0.02 * (step % 3)}" for step in range(steps))
        return make_run("grpo", reward=rises, reward_std=f"0.3x{steps}", state="running")

    seen = next(
        steps for steps in range(60, 200) if outcome_of(flat(steps), "reward-not-improving").verdict is Verdict.FIRED
    )
    told = next(steps for steps in range(60, 300) if outcome_of(flat(steps), "reward-not-improving").is_alarm)
    assert told - round(0.15 * told) == seen


def test_it_is_a_note_until_then(make_run: MakeRun) -> None:
    steps = first_warning(make_run, state="finished")
    outcome = outcome_of(make_run("ppo", clip_fraction=clipped(steps), state="running"), "clipfrac-high")
    assert (outcome.verdict, outcome.severity) == (Verdict.FIRED, Severity.INFO)
    assert {item.severity for item in outcome.episodes} == {Severity.INFO}
    assert message_text(outcome.message).endswith(". It is new: a warning once it has held for 5 % of the steps.")


@pytest.mark.parametrize(
    "status", [{"state": "stopped"}, {"state": "silent"}, {"state": "running", "total": 100}, {"state": "unknown"}]
)
def test_nothing_waits_where_no_further_step_is_known_to_come(make_run: MakeRun, status: dict[str, object]) -> None:
    assert first_warning(make_run, **status) == first_warning(make_run, state="finished")


def test_what_is_critical_or_one_event_does_not_wait(make_run: MakeRun) -> None:
    broken = make_run("ppo", score="0.5x99 nan", loss="0.1x99 nan", state="running")
    assert outcome_of(broken, "nonfinite-metric").is_alarm
    dead = make_run("grpo", reward="0x20", reward_std="0x20", state="running")
    assert outcome_of(dead, "reward-stuck-at-floor").severity is Severity.CRITICAL


def test_a_run_until_a_step_holds_nothing_later(make_run: MakeRun) -> None:
    run = make_run("ppo", score="0.5x60", clip_fraction="0.1x40")
    early = until(run, 50)
    assert (early.last_step, len(early.series["score"]), len(early.series["clip_fraction"])) == (50, 50, 40)
    assert np.array_equal(early.series["score"].values, run.series["score"].values[:50])
    assert set(until(run, 0).series) == set()
