"""Tests of value-clipfrac-high."""

from collections.abc import Callable

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


def test_a_fifth_behind_the_start_is_noted(judge: Judge) -> None:
    assert judge("value-clipfrac-high", "ppo", value_clip_fraction="0x45 0.2x9").severity is Severity.INFO
    assert judge("value-clipfrac-high", "ppo", value_clip_fraction="0x45 0.19x20").verdict is Verdict.QUIET


def test_a_high_start_is_normal(judge: Judge) -> None:
    assert judge("value-clipfrac-high", "ppo", value_clip_fraction="0.43x38 0x30").verdict is Verdict.QUIET


def test_it_is_skipped_without_its_metric(judge: Judge) -> None:
    assert judge("value-clipfrac-high", "ppo", score="1x60").verdict is Verdict.SKIPPED
