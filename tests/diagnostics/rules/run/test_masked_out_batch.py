"""Tests of masked-out-batch."""

from collections.abc import Callable

from diagnostics.model.outcome import Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import evaluate

MASKED = {"mask_truncated_completions": True}


def test_half_of_a_masked_batch_is_a_warning(judge: Callable) -> None:
    fired = judge("masked-out-batch", "grpo", config=MASKED, truncated_fraction="0.1x5 0.5x9")
    quiet = judge("masked-out-batch", "grpo", config=MASKED, truncated_fraction="0.1x5 0.49x30")
    assert (fired.severity, quiet.verdict) == (Severity.WARNING, Verdict.QUIET)


def test_four_points_are_too_few(judge: Callable) -> None:
    outcome = judge("masked-out-batch", "grpo", config=MASKED, truncated_fraction="0.1x9 0.9x4 0.1x9")
    assert outcome.verdict is Verdict.QUIET


def test_it_means_nothing_without_masking(make_run: Callable[..., Run]) -> None:
    outcomes = evaluate(make_run("grpo", truncated_fraction="0.9x30"))
    assert "masked-out-batch" not in {outcome.rule for outcome in outcomes}


def test_it_is_skipped_without_the_share_of_cut_answers(judge: Callable) -> None:
    assert judge("masked-out-batch", "grpo", config=MASKED, reward="1x30").verdict is Verdict.SKIPPED
