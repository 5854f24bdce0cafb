"""Tests of entropy-collapse."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]
FLAT = "0.2 0.3 0.25 0.28 0.22 0.27 0.24 0.26 0.29 0.21 " * 8


def test_a_fifth_of_the_start_with_a_reward_that_stands_still_is_a_warning(judge: Judge) -> None:
    outcome = judge("entropy-collapse", "grpo", entropy_per_token="1x20 0.2x60", reward=FLAT)
    assert (outcome.severity, outcome.first_step, outcome.measured) == (Severity.WARNING, 26, 0.2)


def test_a_fall_among_the_points_that_are_not_judged_is_dated_there(judge: Judge) -> None:
    for high in (5, 9, 12):
        outcome = judge("entropy-collapse", "grpo", entropy_per_token=f"1x{high} 0.02x{80 - high}", reward=FLAT)
        assert (outcome.first_step, outcome.last_step) == (high + 1, 80)


def test_a_little_more_than_a_fifth_is_none(judge: Judge) -> None:
    assert judge("entropy-collapse", "grpo", entropy_per_token="1x20 0.21x60", reward=FLAT).verdict is Verdict.QUIET


def test_ten_points_are_needed_and_nine_are_too_few(judge: Judge) -> None:
    fired = judge("entropy-collapse", "grpo", entropy_per_token="1x65 0.1x15", reward=FLAT)
    quiet = judge("entropy-collapse", "grpo", entropy_per_token="1x66 0.1x14", reward=FLAT)
    assert (fired.verdict, quiet.verdict) == (Verdict.FIRED, Verdict.QUIET)


def test_entropy_that_falls_while_the_reward_rises_is_learning(judge: Judge) -> None:
    assert judge("entropy-collapse", "grpo", entropy_per_token="1..0.1x80", reward="0..0.8x80").verdict is Verdict.QUIET


def test_entropy_of_a_solved_task_is_used_up_by_right(judge: Judge) -> None:
    outcome = judge("entropy-collapse", "grpo", entropy_per_token="1x20 0.1x60", reward="0..0.97x30 0.97 0.98x49")
    assert outcome.verdict is Verdict.QUIET
    beyond = {"entropy_per_token": "1x20 0.1x60", "rlhf_reward": "0..1.01x30 1.01x50"}  # a KL below 0 adds to the score
    assert judge("entropy-collapse", "ppo", score="0..1x30 1x50", **beyond).verdict is Verdict.QUIET
    assert judge("entropy-collapse", "ppo", score="0..0.9x30 0.9x50", **beyond).verdict is Verdict.FIRED


def test_groups_without_signal_count_as_a_standstill(judge: Judge) -> None:
    silent = {"entropy_per_token": "1x20 0.1x60", "zero_std_fraction": "0.6x80"}
    assert judge("entropy-collapse", "grpo", reward="0.8..0x80", **silent).severity is Severity.WARNING
    assert judge("entropy-collapse", "grpo", reward="0..0.8x80", **silent).severity is Severity.INFO


def test_entropy_that_was_spent_on_a_reward_is_a_note_while_the_reward_is_kept(judge: Judge) -> None:
    used = {"entropy_per_token": "1x20 0.1x140"}
    assert judge("entropy-collapse", "grpo", reward="0..0.7x60 0.7x100", **used).severity is Severity.INFO
    assert judge("entropy-collapse", "grpo", reward="0..0.7x60 0.7..0.3x100", **used).severity is Severity.WARNING


def test_it_is_skipped_without_entropy_and_in_a_short_run(judge: Judge) -> None:
    assert judge("entropy-collapse", "grpo", reward=FLAT).verdict is Verdict.SKIPPED
    short = judge("entropy-collapse", "grpo", entropy_per_token="1x39", reward=FLAT)
    assert (short.verdict, short.message.values["needed"]) == (Verdict.SKIPPED, 40)


def test_an_entropy_of_nearly_nothing_from_the_start_is_a_warning(judge: Judge) -> None:
    certain = {"entropy_per_token": "0.0099x30", "length_mean": "20x30"}
    outcome = judge("entropy-collapse", "grpo", reward=FLAT, **certain)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "entropy-collapse.certain")
    assert (outcome.first_step, outcome.limit) == (1, 0.01)
    assert outcome.headline is not None
    assert outcome.headline.template == "entropy-collapse.headline_certain"


def test_what_counts_is_the_entropy_of_a_whole_answer(judge: Judge) -> None:
    for length, verdict in {"20": Verdict.QUIET, "15": Verdict.FIRED}.items():
        found = judge("entropy-collapse", "grpo", reward=FLAT, entropy_per_token="0.011x40", length_mean=f"{length}x40")
        assert found.verdict is verdict
    unknown = judge("entropy-collapse", "ppo", score=FLAT, rlhf_reward=FLAT, entropy_per_token="0.0099x40")
    assert (unknown.verdict, unknown.limit) == (Verdict.FIRED, 0.01)
    assert judge("entropy-collapse", "ppo", rlhf_reward=FLAT, entropy_per_token="0.0101x40").verdict is Verdict.QUIET


def test_one_that_the_first_update_made_certain_was_not_so_from_the_start(judge: Judge) -> None:
    course = {"entropy_per_token": "1.2 0.001x59", "length_mean": "20x60", "reward": "0.4 0x59"}
    outcome = judge("entropy-collapse", "grpo", **course)
    assert (outcome.first_step, outcome.message.template) == (2, "entropy-collapse.certain_since")


def test_a_policy_certain_from_the_start_may_be_right_or_still_learn(judge: Judge) -> None:
    certain = {"entropy_per_token": "0.001x60", "length_mean": "20x60"}
    assert judge("entropy-collapse", "grpo", reward="0.96x60", **certain).verdict is Verdict.QUIET
    assert judge("entropy-collapse", "grpo", reward="0.3..0.8x60", **certain).severity is Severity.INFO


def test_an_entropy_that_was_used_up_within_a_few_steps_was_there_at_the_start(judge: Judge) -> None:
    used = {"entropy_per_token": "0.77 0.4 0.1 0.05 0.002x56", "length_mean": "20x60"}
    outcome = judge("entropy-collapse", "grpo", reward=FLAT, **used)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "entropy-collapse.fired")
    regained = {"entropy_per_token": "0.001x30 0.4x30", "length_mean": "20x60"}
    assert judge("entropy-collapse", "grpo", reward=FLAT, **regained).verdict is Verdict.QUIET


def test_an_entropy_that_came_to_nearly_nothing_needs_no_trend_unless_the_reward_has_risen(judge: Judge) -> None:
    certain = {"entropy_per_token": "0.4x19 0.0001x22", "length_mean": "12x19 32x22"}
    outcome = judge("entropy-collapse", "grpo", reward="0.7 0.5 0.6x39", **certain)
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "entropy-collapse.certain_since")
    assert outcome.headline.template == "entropy-collapse.headline_certain_since"
    assert judge("entropy-collapse", "grpo", reward="0.2..0.6x41", **certain).verdict is Verdict.QUIET
    assert judge("entropy-collapse", "grpo", reward="0.6..0.97x19 0.97x22", **certain).verdict is Verdict.QUIET


def test_a_low_temperature_that_is_set_makes_it_a_warning_though_the_reward_rises(judge: Judge) -> None:
    certain = {"entropy_per_token": "0.001x60", "length_mean": "20x60", "reward": "0.3..0.8x60"}
    for temperature, severity in ((0.05, Severity.WARNING), (0.3, Severity.INFO)):
        outcome = judge("entropy-collapse", "grpo", **certain, config={"temperature": temperature})
        assert outcome.severity is severity
