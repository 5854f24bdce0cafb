"""Tests of clip-asymmetry."""

from collections.abc import Callable
from typing import Any

from diagnostics.model.outcome import Outcome, Severity, Verdict

Judge = Callable[..., Outcome]


FALLING = {"entropy_per_token": "1..0.5x60"}


def clip_fractions(high: str, low: str, **more: Any) -> dict[str, Any]:
    return {"clip_ratio_high_mean": high, "clip_ratio_low_mean": low, **FALLING, **more}


def test_twenty_one_sided_points_and_a_falling_entropy_are_noted(judge: Judge) -> None:
    outcome = judge("clip-asymmetry", "grpo", **clip_fractions("0x30 0.01x20 0x10", "0x30 0.002x20 0x10"))
    assert (outcome.severity, outcome.first_step, outcome.measured) == (Severity.INFO, 31, 0.01)


def test_nineteen_are_not(judge: Judge) -> None:
    assert judge("clip-asymmetry", "grpo", **clip_fractions("0x31 0.01x19 0x10", "0x60")).verdict is Verdict.QUIET


def test_less_than_five_times_is_quiet(judge: Judge) -> None:
    assert judge("clip-asymmetry", "grpo", **clip_fractions("0.01x60", "0.0021x60")).verdict is Verdict.QUIET


def test_a_steady_entropy_is_quiet(judge: Judge) -> None:
    outcome = judge("clip-asymmetry", "grpo", **clip_fractions("0.01x60", "0x60", entropy_per_token="0.5x60"))
    assert outcome.verdict is Verdict.QUIET


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("clip-asymmetry", "grpo", clip_ratio_high_mean="0.1x60").verdict is Verdict.SKIPPED
