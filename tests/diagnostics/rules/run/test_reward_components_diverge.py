"""Tests of reward-components-diverge."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def functions(**means: str) -> dict[str, dict[str, str]]:
    return {"functions": {f"reward_func_mean/{name}": value for name, value in means.items()}}


def test_accuracy_that_falls_while_form_rises_is_a_warning(judge: Judge) -> None:
    outcome = judge("reward-components-diverge", "grpo", **functions(format_tags="0.2..1x80", accuracy="0.6..0.2x80"))
    assert outcome.severity is Severity.WARNING
    assert (outcome.message.values["rising"], outcome.message.values["falling"]) == ("format_tags", "accuracy")


def test_form_may_fall_while_accuracy_rises(judge: Judge) -> None:
    outcome = judge("reward-components-diverge", "grpo", **functions(length_penalty="1..0.2x80", accuracy="0.2..1x80"))
    assert outcome.verdict is Verdict.QUIET


def test_a_fall_of_less_than_a_tenth_is_quiet(judge: Judge) -> None:
    small, large = (
        functions(format="0.2..1x80", accuracy="0.6..0.53x80"),
        functions(format="0.2..1x80", accuracy="0.6..0.45x80"),
    )
    assert judge("reward-components-diverge", "grpo", **small).verdict is Verdict.QUIET
    assert judge("reward-components-diverge", "grpo", **large).verdict is Verdict.FIRED


def test_both_falling_is_a_regression_and_no_trade(judge: Judge) -> None:
    outcome = judge("reward-components-diverge", "grpo", **functions(format="1..0.2x80", accuracy="0.6..0.2x80"))
    assert outcome.verdict is Verdict.QUIET


def test_a_fall_that_has_just_begun_is_quiet(judge: Judge) -> None:
    given = functions(format="0.2..1x80", accuracy="0.6x65 0.6..0.2x15")
    assert judge("reward-components-diverge", "grpo", **given).verdict is Verdict.QUIET


def test_a_short_run_says_how_many_points_it_needs(judge: Judge) -> None:
    outcome = judge("reward-components-diverge", "grpo", **functions(format="0..1x19", accuracy="1..0x19"))
    assert (outcome.verdict, outcome.message.values) == (Verdict.SKIPPED, {"needed": 20, "found": 19})


def test_a_short_run_is_judged_by_its_thirds(judge: Judge) -> None:
    """From the first seven of twenty points to the last seven, 0.6 falls by three tenths to 0.42."""
    for accuracy, verdict in (("0.6x7 0.5x6 0.41x7", Verdict.FIRED), ("0.6x7 0.5x6 0.43x7", Verdict.QUIET)):
        outcome = judge("reward-components-diverge", "grpo", **functions(brevity="-4..-2x20", accuracy=accuracy))
        assert outcome.verdict is verdict
    outcome = judge("reward-components-diverge", "grpo", **functions(brevity="-4..-2x20", accuracy="0.6..0.2x20"))
    assert (outcome.message.values["rising"], outcome.message.values["falling"]) == ("brevity", "accuracy")


def test_thirds_that_noise_explains_or_that_fall_together_are_quiet(judge: Judge) -> None:
    noisy = " ".join(["0.9 0.1 0.8 0.2"] * 3 + ["0.7 0 0.6 0.1"] * 3)
    for accuracy, others in ((noisy, "0..1x24"), ("0.6..0.2x24", "1..0x24"), ("0.6..0.2x24", "0.5x24")):
        outcome = judge("reward-components-diverge", "grpo", **functions(style=others, accuracy=accuracy))
        assert outcome.verdict is Verdict.QUIET
    swapped = functions(accuracy="0.2..1x24", length_penalty="1..0.2x24")
    assert judge("reward-components-diverge", "grpo", **swapped).verdict is Verdict.QUIET


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("reward-components-diverge", "grpo", reward="1x80").verdict is Verdict.SKIPPED
