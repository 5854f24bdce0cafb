"""Tests of microbatches-tiny."""

from collections.abc import Callable

from diagnostics.model.outcome import Severity, Verdict
from diagnostics.rules import evaluate


def test_a_sample_and_a_half_in_a_row_at_little_work_are_a_warning(judge: Callable) -> None:
    found = judge("microbatches-tiny", "grpo", samples_per_row="1.5x14", model_flops_utilization="0.039x14")
    assert (found.verdict, found.severity) == (Verdict.FIRED, Severity.WARNING)


def test_a_little_more_is_quiet(judge: Callable) -> None:
    found = judge("microbatches-tiny", "grpo", samples_per_row="1.6x14", model_flops_utilization="0.039x14")
    assert found.verdict is Verdict.QUIET


def test_long_sequences_that_keep_the_devices_busy_are_left_alone(judge: Callable) -> None:
    found = judge("microbatches-tiny", "grpo", samples_per_row="1x14", model_flops_utilization="0.1x14")
    assert (found.verdict, found.measured, found.limit) == (Verdict.QUIET, 0.1, 0.1)


def test_without_the_work_done_it_is_skipped_and_without_rows_not_asked(judge: Callable, make_run: Callable) -> None:
    assert judge("microbatches-tiny", "grpo", samples_per_row="1x14").verdict is Verdict.SKIPPED
    assert "microbatches-tiny" not in {o.rule for o in evaluate(make_run("grpo", model_flops_utilization="0.01x14"))}
