"""Tests of engine-weights-stale."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

RULE = "engine-weights-stale"
LEARNING = {"learning_rate": "0x2 1e-4x58", "grad_norm": "0.5x60"}


def test_five_times_the_level_of_the_warm_up_is_critical(judge: Callable) -> None:
    fired = judge(RULE, "grpo", **LEARNING, engine_logprob_difference="0.02x2 0.1x58")
    assert (fired.severity, fired.first_step, fired.still) == (Severity.CRITICAL, 3, True)
    assert (fired.measured, fired.limit) == (0.1, pytest.approx(0.1))
    quiet = judge(RULE, "grpo", **LEARNING, engine_logprob_difference="0.02x2 0.099x58")
    assert quiet.verdict is Verdict.QUIET


def test_one_point_before_the_first_update_is_a_level(judge: Callable) -> None:
    fired = judge(RULE, "grpo", grad_norm="1x30", engine_logprob_difference="0.012x1 0.2x29")
    assert (fired.severity, fired.first_step) == (Severity.CRITICAL, 2)


@pytest.mark.parametrize(
    ("path", "is_left_behind"), [("0.012x20 0.05 0.08 0.2x20", True), ("0.012x20 0.03 0.04 0.045 0.05 0.2x20", False)]
)
def test_the_new_level_is_reached_within_three_updates(judge: Callable, path: str, *, is_left_behind: bool) -> None:
    outcome = judge(RULE, "grpo", grad_norm="1x50", engine_logprob_difference=path)
    assert (outcome.severity is Severity.CRITICAL) is is_left_behind


def test_what_grows_slowly_is_not_left_behind(judge: Callable) -> None:
    outcome = judge(RULE, "grpo", grad_norm="1x80", engine_logprob_difference="0.01x10 0.01..0.3x70")
    assert outcome.verdict is Verdict.QUIET


@pytest.mark.parametrize(("length", "severity"), [(4, None), (5, Severity.CRITICAL)])
def test_a_spike_comes_back(judge: Callable, length: int, severity: Severity | None) -> None:
    outcome = judge(RULE, "grpo", grad_norm="1x60", engine_logprob_difference=f"0.01x20 0.2x{length} 0.01x30")
    assert outcome.severity is severity
    assert not outcome.still


@pytest.mark.parametrize("still", [{"learning_rate": "0x60"}, {"grad_norm": "0x60"}])
def test_weights_that_never_changed_were_not_left_behind(judge: Callable, still: dict[str, str]) -> None:
    outcome = judge(RULE, "grpo", **{**LEARNING, **still}, engine_logprob_difference="0.02x2 0.2x58")
    assert outcome.verdict is Verdict.QUIET


def test_what_sound_engines_differ_by_is_no_level_to_leave(judge: Callable) -> None:
    outcome = judge(RULE, "grpo", grad_norm="1x40", engine_logprob_difference="0.004x10 0.03x30")
    assert outcome.verdict is Verdict.QUIET


def test_a_first_point_of_zero_was_not_compared(judge: Callable) -> None:
    outcome = judge(RULE, "grpo", grad_norm="1x40", engine_logprob_difference="0x1 0.015x39")
    assert outcome.verdict is Verdict.QUIET


def test_what_is_high_from_the_first_point_on_has_no_level_before(judge: Callable) -> None:
    outcome = judge(RULE, "grpo", grad_norm="1x40", engine_logprob_difference="0.2x40")
    assert outcome.verdict is Verdict.QUIET


def test_a_jump_just_after_a_resumption_may_be_another_engine(make_run: Callable[..., Run]) -> None:
    run = make_run("grpo", grad_norm="1x60", engine_logprob_difference="0.01x30 0.2x30")
    assert outcome_of(run).severity is Severity.CRITICAL
    assert outcome_of(replace(run, resumed_after=(30,))).severity is None


def outcome_of(run: Run) -> Outcome:
    (found,) = (outcome for outcome in evaluate(run) if outcome.rule == RULE)
    return found


@pytest.mark.parametrize(
    ("metric", "path"),
    [
        ("engine_probability_ratio_error", "1.01x10 1.3x30"),
        ("engine_kl", "0.0005x10 0.05x30"),
        ("engine_probability_difference", "0.004x10 0.05x30"),
        ("engine_log_perplexity_difference", "0.01x10 0.2x30"),
    ],
)
def test_each_unit_shows_it_in_its_own_numbers(judge: Callable, metric: str, path: str) -> None:
    fired = judge(RULE, "grpo", grad_norm="1x40", **{metric: path})
    assert (fired.severity, fired.metric) == (Severity.CRITICAL, metric)
    assert fired.measured == pytest.approx(float(path.split()[1].partition("x")[0]))
    assert fired.limit is not None
    assert fired.limit < fired.measured


def test_a_kl_has_to_grow_by_the_square(judge: Callable) -> None:
    assert judge(RULE, "grpo", grad_norm="1x40", engine_kl="0.002x10 0.049x30").verdict is Verdict.QUIET
    assert judge(RULE, "grpo", grad_norm="1x40", engine_kl="0.002x10 0.051x30").severity is Severity.CRITICAL


def test_samples_that_are_said_to_be_old_are_a_warning(judge: Callable) -> None:
    run = {"grad_norm": "1x40", "engine_logprob_difference": "0.01x4 0.2x36", "staleness_mean": "0x4 4x36"}
    outcome = judge(RULE, "grpo", **run)
    assert outcome.severity is Severity.WARNING


def test_it_is_skipped_where_nothing_says_that_weights_change(judge: Callable) -> None:
    assert judge(RULE, "grpo", engine_logprob_difference="0.01x4 0.2x36").verdict is Verdict.SKIPPED
    assert judge(RULE, "grpo", grad_norm="1x5", engine_logprob_difference="0.01x5").verdict is Verdict.SKIPPED


def test_a_run_of_one_engine_has_nothing_to_miss(make_run: Callable[..., Run]) -> None:
    assert RULE not in {outcome.rule for outcome in evaluate(make_run("grpo", reward="1x30"))}


def test_noise_of_a_sound_engine_is_quiet(judge: Callable) -> None:
    noise = np.random.default_rng(3).lognormal(np.log(0.02), 0.4, size=2000)
    assert judge(RULE, "grpo", grad_norm=np.ones(2000), engine_logprob_difference=noise).verdict is Verdict.QUIET
